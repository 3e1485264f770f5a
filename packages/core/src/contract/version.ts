import { z } from "zod";
import { AirlockError } from "../fault/index.ts";
import { isErrorClass, type ErrorClass } from "../fault/index.ts";
import { isRunId } from "../record/index.ts";

/** The version that this build writes. It reads this one and, once there is a second, the one before. */
export const CONTRACT_VERSION = 1;

/** The fields with which every body begins: a record names the run it belongs to. */
export const bodyHead = {
  version: z.literal(CONTRACT_VERSION),
  run: z.string().refine(isRunId, "not a run id"),
};

export const count = z.int().min(0).max(1_000_000_000);
export const digest = z.string().regex(/^[0-9a-f]{64}$/);
export const errorClass = z.string().refine((text): text is ErrorClass => isErrorClass(text));

/** Reads a body whose signature was checked. Throws SCHEMA_VERSION naming the fields that don't fit. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: string): z.infer<Schema> {
  const parsed = schema.safeParse(jsonOf(body));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".") || "(top)").join(", ");
  throw new AirlockError("SCHEMA_VERSION", `a body does not have the form this build reads at: ${where}`);
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new AirlockError("SCHEMA_VERSION", "a body is not JSON"); // the parser's own words would quote it
  }
}
