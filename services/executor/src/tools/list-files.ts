import { z } from "zod";
import { fitEntries } from "./fit-entries.ts";
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
  const listedEntries = listed.entries.map((entry) => ({ ...entry }));
  const entries = fitEntries(listedEntries, context.limits.outputBytes);
  return succeed({
    path,
    entries,
    truncated: listed.truncated || entries.length < listed.entries.length,
  });
});
