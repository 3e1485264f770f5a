export { canonicalJson } from "./canonical.ts";
export { parseStrictJson, type StrictJsonLimits, type StrictJsonResult } from "./parse-strict.ts";
export { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./value.ts";
