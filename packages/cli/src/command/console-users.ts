// A name and roles in, an entry of the console's users file out; refuses a change after which the file could not be used.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { hashPassword, newToken, parseUsers, tokenDigest } from "@airlock/console";
import { AirlockError } from "@airlock/core/fault";
import { isMap, isSeq, parseDocument } from "yaml";
import { cliConfig } from "../config.ts";
import { dataPaths } from "../local/index.ts";
import { DATA_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";

const FLAGS = {
  role: { value: "ROLE", doc: "viewer, submitter, approver or operator; once for each", multiple: true },
  file: { value: "FILE", doc: "the users file (AIRLOCK_USERS of the console; that of `airlock up`)" },
  data: DATA_FLAG,
} as const;
const LEAST_PASSWORD = 12;

export const consoleUserCommand: Command = {
  summary: "adds a person to the console's users file, or gives one another password",
  details: "Reads the password from the standard input. The console reads its file at its start.",
  positional: { name: "NAME", required: true },
  flags: FLAGS,
  async run(call, context) {
    const password = await firstLine();
    if (password.length < LEAST_PASSWORD) {
      throw new AirlockError("USAGE", `a password has at least ${LEAST_PASSWORD} characters`);
    }
    const file = putEntry(call, context, { list: "users", password: await hashPassword(password) });
    context.out.print(`${call.positional} may sign in with the password, once the console has read ${file}`);
    return 0;
  },
};

export const consoleTokenCommand: Command = {
  summary: "makes a token for a program: prints it once, and keeps its digest in the users file",
  details: "A token of the same name is replaced. The console reads its file at its start.",
  positional: { name: "NAME", required: true },
  flags: FLAGS,
  async run(call, context) {
    const token = newToken();
    putEntry(call, context, { list: "tokens", sha256: tokenDigest(token) });
    context.out.print(token);
    return 0;
  },
};

type Secret =
  | { readonly list: "users"; readonly password: string }
  | { readonly list: "tokens"; readonly sha256: string };

/** Changes the one entry and leaves comments and all others as they are; returns the file's name. */
function putEntry(call: CommandCall, context: CommandContext, { list, ...secret }: Secret): string {
  const name = call.positional ?? "";
  const file = usersFile(call, context);
  const document = parseDocument(existsSync(file) ? readFileSync(file, "utf8") : "{}");
  const entries: unknown = document.get(list);
  const at = isSeq(entries)
    ? entries.items.findIndex((item) => isMap(item) && item.get("name") === name)
    : -1;
  const known: unknown = at < 0 ? undefined : document.getIn([list, at, "roles"]);
  const roles = call.list("role").length > 0 ? call.list("role") : known;
  if (roles === undefined) throw new AirlockError("USAGE", "name a --role for it");
  const entry = document.createNode({ name, roles, ...secret });
  if (at >= 0) document.setIn([list, at], entry);
  else if (isSeq(entries)) document.addIn([list], entry);
  else document.set(list, [entry]);
  const text = String(document);
  parseUsers({ name: file, text });
  writeFileSync(`${file}.next`, text, { mode: 0o600 });
  renameSync(`${file}.next`, file);
  return file;
}

function usersFile(call: CommandCall, { environment, folder }: CommandContext): string {
  const named = call.text("file");
  if (named !== undefined) return path.resolve(folder, named);
  return dataPaths(path.resolve(folder, call.text("data") ?? cliConfig(environment).data)).users;
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return "";
}
