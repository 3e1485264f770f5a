// The text of a users file in, who may do what out; refuses, with each place, whatever it can't be sure of.
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { problemLines, readDocument, schemaProblems, type DocumentProblem } from "@airlock/core/document";
import { AirlockError } from "@airlock/core/fault";
import { isPasswordHash } from "./password.ts";
import { isAddressRange } from "./proxy-addresses.ts";
import { ROLE_NAMES } from "./roles.ts";

const name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,127}$/u, "letters, digits and . _ @ + - only, at most 128");
const roles = z.array(z.enum(ROLE_NAMES)).min(1);

const usersSchema = z.strictObject({
  users: z
    .array(
      z.strictObject({
        name,
        roles,
        password: z
          .string()
          .refine(isPasswordHash, "not a hash that this build reads: make one with `airlock console-user`"),
      }),
    )
    .default([]),
  tokens: z
    .array(
      z.strictObject({
        name,
        roles,
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits, as `airlock console-token` writes them"),
      }),
    )
    .default([]),
  proxy: z
    .strictObject({
      /** who it says is asking; left out, it is trusted with the peer's address alone */
      header: z
        .string()
        .regex(/^x-[a-z0-9-]{1,62}$/, "a header of its own in lower case, beginning with x-")
        .exactOptional(),
      from: z.array(z.string().refine(isAddressRange, "an address, or a range such as 10.0.0.0/8")).min(1),
      users: z.array(z.strictObject({ name, roles })).default([]),
    })
    .exactOptional(),
});

/** Who may use the console. */
export type Users = z.infer<typeof usersSchema>;

/** Throws USERS_INVALID with every place. */
export function parseUsers(file: { readonly name: string; readonly text: string }): Users {
  const source = readDocument(file, { code: "USERS_INVALID", noun: "users file" });
  const parsed = usersSchema.safeParse(source.value);
  const problems = parsed.success ? doubled(parsed.data) : schemaProblems(source, parsed.error);
  if (!parsed.success || problems.length > 0) {
    throw new AirlockError("USERS_INVALID", problemLines(source, problems).join("\n"));
  }
  return parsed.data;
}

/** Reads a users file; refuses one that others may read. */
export function loadUsers(file: string): Users {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AirlockError("USERS_INVALID", `${file} can't be read (${code})`, { cause });
  }
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new AirlockError("USERS_INVALID", `${file} may be read by others; run: chmod 600 ${file}`);
  }
  return parseUsers({ name: file, text });
}

/** One name means one person or program wherever it comes from: the audit and the requester rule go by names. */
function doubled({ users, tokens, proxy }: Users): readonly DocumentProblem[] {
  return [
    ...repeats(users, ["users"]),
    ...repeats(tokens, ["tokens"]),
    ...repeats(proxy?.users ?? [], ["proxy", "users"]),
  ];
}

function repeats(
  entries: readonly { readonly name: string }[],
  path: readonly string[],
): readonly DocumentProblem[] {
  return entries.flatMap((entry, at) =>
    entries.findIndex((other) => other.name === entry.name) < at
      ? [{ path: [...path, at, "name"], message: `the name "${entry.name}" is there already` }]
      : [],
  );
}
