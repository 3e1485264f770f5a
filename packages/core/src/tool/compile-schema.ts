import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject, JsonValue } from "../json/index.ts";

/** `null`: the schema accepts the value. Otherwise where in the schema it failed; never a value or its keys. */
export type SchemaCheck = (value: JsonValue) => string | null;

/**
 * Compiles one JSON Schema 2020-12, strictly: an unknown keyword or format, or a reference to another document,
 * throws an Error that says so. Each schema gets an instance of its own, so that no `$id` meets another.
 */
export function compileSchema(schema: JsonObject): SchemaCheck {
  const ajv = new Ajv2020({ strict: true, ownProperties: true, logger: false });
  const validate = ajv.compile({ ...schema });
  return (value) => {
    // Compared with `true`: the validator of an asynchronous schema answers with a promise.
    const accepted: unknown = validate(value);
    if (accepted === true) return null;
    const [error] = validate.errors ?? [];
    if (error === undefined) return "# (no verdict)";
    // The missing key is the schema's own word; an additional one would be the model's, so it is not named.
    const missing: unknown = error.params["missingProperty"];
    const named = error.keyword === "required" && typeof missing === "string";
    return `${error.schemaPath} (${error.keyword}${named ? `: ${missing}` : ""})`;
  };
}
