import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";

/** A text that is there: null and the empty string are the same as no field at all. */
export function text(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function object(value: JsonValue | undefined): JsonObject | null {
  return value !== undefined && isJsonObject(value) ? value : null;
}

export function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return value !== undefined && isJsonArray(value) ? value.filter((member) => isJsonObject(member)) : [];
}

export function count(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
