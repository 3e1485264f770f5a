// Takes the input schema of a tool, gives every place where it is not strict: keywords that JSON Schema 2020-12 doesn't
// have, patterns that are none, and objects, arrays and values that take what nobody named without saying so.
import type { DocumentPath, DocumentProblem } from "../document/index.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";

/**
 * What a keyword holds: schemas of other values (`inner`), of the same value (`same`), of what an object has besides
 * (`rest`), schemas that only test (`test`), or none (`data`).
 */
type Role = "inner" | "same" | "rest" | "test" | "data";
type Shape = "map" | "list" | "one";

const SCHEMA_KEYWORDS = {
  $defs: ["map", "inner"],
  additionalProperties: ["one", "rest"],
  allOf: ["list", "same"],
  anyOf: ["list", "same"],
  contains: ["one", "test"],
  dependentSchemas: ["map", "same"],
  else: ["one", "same"],
  if: ["one", "test"],
  items: ["one", "inner"],
  not: ["one", "test"],
  oneOf: ["list", "same"],
  patternProperties: ["map", "inner"],
  prefixItems: ["list", "inner"],
  properties: ["map", "inner"],
  propertyNames: ["one", "test"],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nothing awaits this table
  then: ["one", "same"],
  unevaluatedItems: ["one", "rest"],
  unevaluatedProperties: ["one", "rest"],
} as const satisfies Record<string, readonly [Shape, Exclude<Role, "data">]>;

/** Without `$id`, `$vocabulary` and dynamic references: a tool's schema is one document and means one thing. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(
  [
    "$anchor $comment $ref $schema type const enum title description default deprecated examples readOnly writeOnly",
    "multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format",
    "maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired",
    "contentEncoding contentMediaType contentSchema",
  ].flatMap((line) => line.split(" ")),
);

/** With one of these a schema without `type` still says which values it takes. */
const NARROWING = ["const", "enum", "$ref", "anyOf", "oneOf", "allOf"] as const;

/** What schemas around this one, of the same value, have said already. */
interface Said {
  readonly type: boolean;
  readonly rest: boolean;
}

const NOTHING: Said = { type: false, rest: false };

export function strictSchemaProblems(schema: JsonObject): readonly DocumentProblem[] {
  const root =
    schema["type"] === "object"
      ? []
      : [open([], 'arguments are one object: a tool\'s schema has type: "object"')];
  return [...root, ...problemsAt({ schema, path: [], said: NOTHING })];
}

/** A place in a schema as JSON Schema writes it. */
function schemaPlace(path: DocumentPath): string {
  return ["#", ...path].join("/");
}

interface Place {
  readonly schema: JsonValue;
  readonly path: DocumentPath;
  /** null where the schema only tests: then it may be open */
  readonly said: Said | null;
}

function problemsAt({ schema, path, said }: Place): readonly DocumentProblem[] {
  if (schema === false) return [];
  if (!isJsonObject(schema)) {
    return said === null ? [] : [open(path, "say which values are taken")];
  }
  const unknown = Object.keys(schema).filter((key) => !isKnown(key));
  return [
    ...unknown.map((key) => ({
      path: [...path, key],
      message: `unknown keyword "${key}" at ${schemaPlace(path)}; a tool's schema is JSON Schema 2020-12 in one document`,
    })),
    ...(said === null ? [] : opennessOf(schema, path, said)),
    ...patternPlaces(schema, path).flatMap(patternProblems),
    ...innerPlaces({ schema, path, said }).flatMap(problemsAt),
  ];
}

interface Pattern {
  readonly text: string;
  readonly path: DocumentPath;
}

function patternPlaces(schema: JsonObject, path: DocumentPath): readonly Pattern[] {
  const { pattern, patternProperties } = schema;
  const keys = patternProperties !== undefined && isJsonObject(patternProperties) ? patternProperties : {};
  return [
    ...(typeof pattern === "string" ? [{ text: pattern, path: [...path, "pattern"] }] : []),
    ...Object.keys(keys).map((text) => ({ text, path: [...path, "patternProperties", text] })),
  ];
}

function patternProblems({ text, path }: Pattern): readonly DocumentProblem[] {
  try {
    RegExp(text, "u");
    return [];
  } catch {
    // its text would say no more than that
    const message = `the pattern at ${schemaPlace(path)} is no regular expression; write one of ECMAScript in unicode mode`;
    return [{ path, message }];
  }
}

function isKnown(keyword: string): boolean {
  return DATA_KEYWORDS.has(keyword) || Object.hasOwn(SCHEMA_KEYWORDS, keyword);
}

function opennessOf(schema: JsonObject, path: DocumentPath, said: Said): readonly DocumentProblem[] {
  const types = typesOf(schema);
  if (types.length === 0 && !said.type && !NARROWING.some((keyword) => Object.hasOwn(schema, keyword))) {
    return [open(path, "say which values are taken: add type")];
  }
  if (types.includes("object") && !said.rest && !saysRest(schema)) {
    return [open(path, "say what other keys are: add additionalProperties: false")];
  }
  const items = ["items", "unevaluatedItems"].some((keyword) => Object.hasOwn(schema, keyword));
  return types.includes("array") && !items ? [open(path, "say what an array holds: add items")] : [];
}

function open(path: DocumentPath, fix: string): DocumentProblem {
  return { path, message: `the input schema is open at ${schemaPlace(path)}; ${fix}` };
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = schema["type"];
  if (type === undefined) return [];
  return isJsonArray(type) ? type : [type];
}

function saysRest(schema: JsonObject): boolean {
  return ["additionalProperties", "unevaluatedProperties"].some((keyword) => Object.hasOwn(schema, keyword));
}

function innerPlaces({ schema, path, said }: Place & { readonly schema: JsonObject }): readonly Place[] {
  const around: Said = {
    type: said?.type === true || Object.hasOwn(schema, "type"),
    rest: said?.rest === true || saysRest(schema),
  };
  return Object.entries(SCHEMA_KEYWORDS).flatMap(([keyword, [shape, role]]): readonly Place[] => {
    const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    // Of the rest, true and false are plain words; only a schema there says more.
    if (value === undefined || (role === "rest" && typeof value === "boolean")) return [];
    const inner = role === "test" || said === null ? null : role === "same" ? around : NOTHING;
    return membersOf(value, shape).map(([key, member]) => ({
      schema: member,
      path: [...path, keyword, ...key],
      said: inner,
    }));
  });
}

/** What has not the keyword's shape is left to the compiler, which refuses it. */
function membersOf(value: JsonValue, shape: Shape): readonly (readonly [DocumentPath, JsonValue])[] {
  if (shape === "one") return [[[], value]];
  if (isJsonArray(value)) return value.map((member, at) => [[at], member]);
  return isJsonObject(value) ? Object.entries(value).map(([key, member]) => [[key], member]) : [];
}
