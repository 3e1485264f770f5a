export { canonicalJson } from "./canonical.ts";
export { parseStrictJson, type StrictJsonLimits, type StrictJsonResult } from "./parse-strict.ts";
export { closingQuote } from "./read-string.ts";
export { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./value.ts";
