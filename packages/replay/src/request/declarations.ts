/** In come a request's tools in the form that all families share; refused are names used twice and unusable schemas. */
import { accept, refuse, type Checked } from "../refusal.ts";

export interface Declaration {
  readonly name: string;
  readonly place: string;
  /** Null for a tool that takes text. */
  readonly schema: { readonly at: string; readonly value: Readonly<Record<string, unknown>> } | null;
  readonly strict: boolean;
}

export function checkDeclarations(declarations: readonly Declaration[]): Checked<null> {
  const names = new Set<string>();
  for (const { name, place, schema, strict } of declarations) {
    if (names.has(name)) return refuse("invalid_request", `two tools are named ${name}`, `${place}.name`);
    names.add(name);
    const fault = schema === null ? null : schemaFault(schema.value, strict);
    if (schema !== null && fault !== null) {
      const message = `invalid schema for function ${name}: ${fault}`;
      return refuse("invalid_request", message, `${place}.${schema.at}`);
    }
  }
  return accept(null);
}

function schemaFault(parameters: Readonly<Record<string, unknown>>, strict: boolean): string | null {
  if (parameters["type"] !== "object") return "the root has to be of type object";
  return strict ? strictModeFault(parameters, "the root") : null;
}

/** Strict mode: every object forbids other properties and requires all of its own. */
function strictModeFault(schema: unknown, place: string): string | null {
  if (Array.isArray(schema)) return firstFault(schema.map((member) => [place, member] as const));
  if (!isRecord(schema)) return null;
  if (schema["type"] === "object" && schema["additionalProperties"] !== false) {
    return `strict mode needs additionalProperties: false at ${place}`;
  }
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const left = Object.keys(properties).find((name) => !required.has(name));
  if (left !== undefined) return `strict mode needs every property in required, ${left} is not, at ${place}`;
  const deeper = ["items", "anyOf", "$defs"].flatMap((key) =>
    key === "$defs" && isRecord(schema[key]) ? Object.entries(schema[key]) : [[place, schema[key]] as const],
  );
  return firstFault([...Object.entries(properties), ...deeper]);
}

function firstFault(schemas: readonly (readonly [string, unknown])[]): string | null {
  for (const [place, schema] of schemas) {
    const fault = strictModeFault(schema, place);
    if (fault !== null) return fault;
  }
  return null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
