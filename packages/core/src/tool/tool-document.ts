import { z } from "zod";
import { EFFECTS } from "./manifest.ts";

const argumentNames = z.array(z.string().min(1)).default([]);

const claims = z.strictObject({
  reads: argumentNames.describe("arguments that hold a path that is read"),
  writes: argumentNames.describe("arguments that hold a path that is written"),
  patches: argumentNames.describe("arguments that hold a unified diff; its headers name the paths written"),
  workspace: z
    .enum(["none", "read", "write"])
    .default("none")
    .describe("what the tool may touch of the workspace beyond the paths in its arguments"),
});

const limits = z.strictObject({
  timeoutMs: z.int().min(1).max(600_000).default(60_000).describe("milliseconds until the tool is killed"),
  outputBytes: z
    .int()
    .min(1)
    .max(262_144)
    .default(262_144)
    .describe("bytes that the tool may write to stdout"),
  argumentBytes: z.int().min(1).max(1_048_576).default(65_536).describe("bytes of the arguments' text"),
});

const word = z
  .string()
  .max(8_192)
  .refine((text) => !text.includes("\0"), "a word of the command holds a NUL byte");

/** A tool of the operator's, as its file says it. Every key that is not here is an error. */
export const toolDocumentSchema = z.strictObject({
  apiVersion: z.literal("airlock.tool/v1").describe("the format of the file"),
  name: z.string().describe("what models call the tool by: a-z, 0-9 and _, a letter first, at most 64"),
  description: z
    .string()
    .min(1)
    .max(8_192)
    .describe("what models read: what the tool does, and when to use it"),
  inputSchema: z
    .record(z.string(), z.json())
    .describe("JSON Schema 2020-12 of the arguments, strict; sent to the model and enforced"),
  effect: z
    .enum(EFFECTS)
    .describe(
      "`read` sees the workspace read-only; `idempotent` may run twice with one effect, `mutating` may not",
    ),
  claims: claims.describe("what a call touches"),
  limits: limits.prefault({}).describe("time and sizes"),
  command: z
    .array(word)
    .min(1)
    .max(64)
    .describe("the program and its arguments: a name, or an absolute path outside every workspace"),
  probe: z
    .array(word)
    .min(1)
    .max(64)
    .optional()
    .describe("the program that says whether a call whose end nobody saw had its effect; runs read-only"),
});
