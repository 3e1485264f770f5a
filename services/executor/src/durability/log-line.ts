// One line of the write-ahead log: a checksum, a blank, JSON. Content is in it only as the ledger keeps it: sealed.
import { crc32 } from "node:zlib";
import { isErrorClass, type ErrorClass } from "@airlock/core/fault";
import type { Ending } from "@airlock/core/ledger";
import { z } from "zod";

const call = { itemKey: z.string(), fence: z.int().min(1), at: z.int() };

/** What Redis may have to be told of a call that it forgot. Times are milliseconds of this host's clock. */
const startedSchema = z.strictObject({
  type: z.literal("started"),
  ...call,
  grant: z.int(),
  digest: z.string(),
  tool: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  owner: z.string(),
});
export type StartedLine = z.infer<typeof startedSchema>;

const endingSchema = z.strictObject({
  transition: z.enum(["commit", "deny", "lose"]),
  status: z.string(),
  errorClass: z.custom<ErrorClass>((value) => typeof value === "string" && isErrorClass(value)).nullable(),
  detail: z.string().nullable(),
  content: z.string().nullable(),
  contentDigest: z.string().nullable(),
  resultBytes: z.int(),
  durationMs: z.number(),
}) satisfies z.ZodType<Ending>;

const committedSchema = z.strictObject({ type: z.literal("committed"), ...call, ending: endingSchema });
export type CommittedLine = z.infer<typeof committedSchema>;

/** Stands first in each file, so that a log without a call is no missing log. */
const openedSchema = z.strictObject({ type: z.literal("opened"), version: z.literal(1), owner: z.string() });

const lineSchema = z.discriminatedUnion("type", [openedSchema, startedSchema, committedSchema]);
export type LogLine = z.infer<typeof lineSchema>;

export function encodeLine(line: LogLine): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** Null where the text, without its line end, is not a line as `encodeLine` writes it. */
export function decodeLine(text: string): LogLine | null {
  const json = text.slice(9);
  if (text[8] !== " " || text.slice(0, 8) !== checksum(json)) return null;
  try {
    return lineSchema.parse(JSON.parse(json));
  } catch {
    return null; // a right checksum over something else: of no build that this one reads
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
