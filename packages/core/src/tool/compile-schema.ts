import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject, JsonValue } from "../json/index.ts";

/** `null`: the schema accepts the value. Otherwise the pointer, the keyword, and what it asks for; never a value or a key of it. */
export type SchemaCheck = (value: JsonValue) => string | null;

const OPTIONS = { strict: true, ownProperties: true, logger: false, verbose: true } as const;

/** Holds schemas against the schema of schemas, and keeps none: to compile that one takes longer than to compile a tool's. */
const dialect = new Ajv2020(OPTIONS);

/**
 * Compiles one JSON Schema 2020-12, strictly: an unknown keyword or format, or a reference to another document,
 * throws an Error that says so. Each schema gets an instance of its own, so that no `$id` meets another.
 */
export function compileSchema(schema: JsonObject): SchemaCheck {
  void dialect.validateSchema({ ...schema }, true);
  const ajv = new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false });
  const names = new Set(propertyNames(schema));
  const validate = ajv.compile({ ...schema });
  return (value) => {
    // Compared with `true`: the validator of an asynchronous schema answers with a promise.
    const accepted: unknown = validate(value);
    if (accepted === true) return null;
    const [error] = validate.errors ?? [];
    if (error === undefined) return "# (no verdict)";
    const pointer = sayable(error.instancePath, names);
    const words =
      error.keyword === "additionalProperties"
        ? `${error.message}: ${allowed(error.parentSchema)}`
        : error.message;
    return `${pointer === "" ? "the top level" : pointer} (${error.keyword}: ${words ?? "not valid"})`;
  };
}

/** A key that the schema doesn't name is the model's own text, and stands in no record. */
function sayable(pointer: string, names: ReadonlySet<string>): string {
  return pointer
    .split("/")
    .map((part) => (part === "" || /^[0-9]+$/.test(part) || names.has(part) ? part : "*"))
    .join("/");
}

function allowed(schema: unknown): string {
  const properties =
    typeof schema === "object" && schema !== null && "properties" in schema ? schema.properties : null;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return `only ${names.join(", ") || "none"}`;
}

/** Every property name that a schema itself holds, as a JSON pointer has it. */
function propertyNames(schema: JsonValue): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(propertyNames);
  if (typeof schema !== "object" || schema === null) return [];
  const own = Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === "properties" && typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value)
      : [],
  );
  const escaped = own.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"));
  return [...escaped, ...Object.values(schema).flatMap(propertyNames)];
}
