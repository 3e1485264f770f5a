import type { z } from "zod";
import { AirlockError } from "../fault/index.ts";

/** Reads a hash by its schema; null where the key doesn't exist; throws SCHEMA_VERSION where it doesn't fit. */
export function fieldsOf<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  key: string,
  hash: Readonly<Record<string, string>>,
): z.infer<z.ZodObject<Shape>> | null {
  if (Object.keys(hash).length === 0) return null;
  const parsed = schema.safeParse(hash);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new AirlockError("SCHEMA_VERSION", `${key} does not have the form this build reads at: ${where}`);
}
