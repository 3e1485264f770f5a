import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";

/** Keywords whose value holds schemas, by the shape that holds them. */
const HOLDERS = {
  properties: "map",
  patternProperties: "map",
  $defs: "map",
  prefixItems: "list",
  anyOf: "list",
  oneOf: "list",
  allOf: "list",
  items: "one",
} as const satisfies Record<string, "map" | "list" | "one">;

/** With one of these a schema without `type` still says which values it takes. */
const NARROWING = ["const", "enum", "$ref", "anyOf", "oneOf", "allOf"] as const;

/**
 * Every place of a schema that takes keys or values that nobody named: an object without
 * `additionalProperties: false`, an array without `items: …`, a schema without a type.
 */
export function openPlaces(schema: JsonValue, place = "#"): readonly string[] {
  if (schema === false) return [];
  if (!isJsonObject(schema)) return [place];
  return [
    ...(isOpen(schema) ? [place] : []),
    ...innerSchemas(schema, place).flatMap(([at, inner]) => openPlaces(inner, at)),
  ];
}

function isOpen(schema: JsonObject): boolean {
  const type = schema["type"];
  if (type === undefined) return !NARROWING.some((keyword) => Object.hasOwn(schema, keyword));
  const types = isJsonArray(type) ? type : [type];
  if (types.includes("object") && schema["additionalProperties"] !== false) return true;
  return types.includes("array") && !Object.hasOwn(schema, "items");
}

type Placed = readonly [place: string, schema: JsonValue];

function innerSchemas(schema: JsonObject, place: string): readonly Placed[] {
  return Object.entries(HOLDERS).flatMap(([keyword, shape]): readonly Placed[] => {
    const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    if (value === undefined) return [];
    const at = `${place}/${keyword}`;
    if (shape === "one") return [[at, value]];
    const holder = isJsonArray(value) || isJsonObject(value) ? value : {};
    return Object.entries(holder).map(([key, inner]): Placed => [`${at}/${key}`, inner]);
  });
}
