import type { JsonObject } from "@airlock/core/json";
import type { z } from "zod";
import { refuse, type ToolRefusal } from "./tool-body.ts";

/** The schema was enforced long before; this only gives the arguments their types, and refuses drift. */
export function readArguments<Shape>(
  schema: z.ZodType<Shape>,
  args: JsonObject,
): { readonly ok: true; readonly value: Shape } | { readonly ok: false; readonly refusal: ToolRefusal } {
  const parsed = schema.safeParse({ ...args });
  if (parsed.success) return { ok: true, value: parsed.data };
  const places = parsed.error.issues.map((issue) => issue.path.join(".") || issue.code);
  return { ok: false, refusal: refuse("SCHEMA_VIOLATION", `unexpected arguments: ${places.join(", ")}`) };
}
