import { Buffer } from "node:buffer";
import { z } from "zod";
import type { ListedEntry } from "../workspace/index.ts";
import { readArguments } from "./read-arguments.ts";
import { lookingTool, refuse, succeed } from "./tool-body.ts";

const listFilesArguments = z.strictObject({
  path: z.string(),
  depth: z.number().int().min(1).max(16).optional(),
});

const MAX_ENTRIES = 5000;

/** A directory in, its entries out, as deep as asked; refuses what is not a directory of the workspace. */
export const listFilesTool = lookingTool(async (context, args) => {
  const parsed = readArguments(listFilesArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const { path, depth } = parsed.value;
  const listed = await context.files.list(path, { depth: depth ?? 1, maxEntries: MAX_ENTRIES });
  if (!listed.ok) return refuse(listed.errorClass, listed.detail);
  const entries = fitEntries(listed.entries, context.limits.outputBytes);
  return succeed({
    path,
    entries: entries.map((entry) => ({ ...entry })),
    truncated: listed.truncated || entries.length < listed.entries.length,
  });
});

function fitEntries(entries: readonly ListedEntry[], maxBytes: number): readonly ListedEntry[] {
  let total = 0;
  const over = entries.findIndex((entry) => {
    total += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return total > maxBytes;
  });
  return over === -1 ? entries : entries.slice(0, over);
}
