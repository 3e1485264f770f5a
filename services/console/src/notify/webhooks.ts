// The text of a webhooks file in, who is told of what out; refuses, with each place, whatever it can't be sure of.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { problemLines, readDocument, schemaProblems, type DocumentProblem } from "@airlock/core/document";
import { AirlockError } from "@airlock/core/fault";
import { EVENT_TYPES, type EventType } from "./event.ts";

const MIN_SECRET_CHARACTERS = 32;

const webhooksSchema = z.strictObject({
  webhooks: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9-]{1,32}$/, "small letters, digits and - only, at most 32"),
        url: z.string().refine(isPlainUrl, "an http or https address without a name, password or fragment"),
        secretFile: z.string().min(1),
        events: z.array(z.enum(EVENT_TYPES)).min(1),
        labels: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
});

export interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly EventType[];
  /** a run has to have all of these */
  readonly labels: Readonly<Record<string, string>>;
}

/** Reads a webhooks file and the secrets that it names; an empty place names none. Throws WEBHOOKS_INVALID with every place. */
export function loadWebhooks(file: string): readonly Webhook[] {
  if (file === "") return [];
  const text = readPrivate(file);
  if (!text.ok) throw new AirlockError("WEBHOOKS_INVALID", text.problem);
  const source = readDocument(
    { name: file, text: text.text },
    { code: "WEBHOOKS_INVALID", noun: "webhooks file" },
  );
  const parsed = webhooksSchema.safeParse(source.value);
  if (!parsed.success) throw refusal(source, schemaProblems(source, parsed.error));
  const { webhooks } = parsed.data;
  const read = webhooks.map(({ secretFile }) => readSecret(path.resolve(path.dirname(file), secretFile)));
  const problems = read.flatMap((each, at) =>
    each.ok ? [] : [{ path: ["webhooks", at, "secretFile"], message: each.problem }],
  );
  const found = [...doubled(webhooks), ...problems];
  if (found.length > 0) throw refusal(source, found);
  return webhooks.map(({ name, url, events, labels }, at) => {
    const secret = read[at];
    return { name, url, events, labels, secret: secret?.ok === true ? secret.text : "" };
  });
}

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Addresses of chat services are secrets themselves, so both kinds of file are for their owner alone. */
function readPrivate(file: string): Text {
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      return { ok: false, problem: `${file} may be read by others; run: chmod 600 ${file}` };
    }
    return { ok: true, text: readFileSync(file, "utf8") };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    return { ok: false, problem: `${file} can't be read (${code})` };
  }
}

function readSecret(file: string): Text {
  const read = readPrivate(file);
  if (!read.ok) return read;
  const text = read.text.trim();
  if (text.length >= MIN_SECRET_CHARACTERS) return { ok: true, text };
  const problem = `${file} holds fewer than ${MIN_SECRET_CHARACTERS} characters; run: openssl rand -hex 32 > ${file}`;
  return { ok: false, problem };
}

/** A name is part of a delivery's id: two alike would take each other's deliveries away. */
function doubled(webhooks: readonly { readonly name: string }[]): readonly DocumentProblem[] {
  return webhooks.flatMap(({ name }, at) =>
    webhooks.findIndex((other) => other.name === name) < at
      ? [{ path: ["webhooks", at, "name"], message: `the name "${name}" is there already` }]
      : [],
  );
}

function refusal(
  source: Parameters<typeof problemLines>[0],
  problems: readonly DocumentProblem[],
): AirlockError {
  return new AirlockError("WEBHOOKS_INVALID", problemLines(source, problems).join("\n"));
}

function isPlainUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
}
