import { z } from "zod";
import { accept, refuse, type Checked } from "../refusal.ts";

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u);

// `strict` has to be said: where it is left out, the Responses API turns strict mode on by itself.
const functionTool = z.strictObject({
  type: z.literal("function"),
  name: toolName,
  description: z.string().nullable().exactOptional(),
  parameters: z.record(z.string(), z.unknown()),
  strict: z.boolean(),
});

const customTool = z.strictObject({
  type: z.literal("custom"),
  name: toolName,
  description: z.string().exactOptional(),
  format: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text") }),
      z.strictObject({
        type: z.literal("grammar"),
        syntax: z.enum(["lark", "regex"]),
        definition: z.string(),
      }),
    ])
    .exactOptional(),
});

/** The tools that a client runs itself; hosted tools are not replayed. */
export const toolSchema = z.discriminatedUnion("type", [functionTool, customTool]);

export const toolChoiceSchema = z.union([
  z.enum(["auto", "none", "required"]),
  z.strictObject({ type: z.enum(["function", "custom"]), name: toolName }),
]);

/** Checks what the shape can't say: unique names, and strict mode's own rules for a schema. */
export function checkTools(tools: readonly z.infer<typeof toolSchema>[]): Checked<null> {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (names.has(tool.name)) {
      return refuse("invalid_request", `two tools are named ${tool.name}`, `tools[${index}].name`);
    }
    names.add(tool.name);
    const fault = tool.type === "function" ? schemaFault(tool.parameters, tool.strict) : null;
    if (fault !== null) {
      const message = `invalid schema for function ${tool.name}: ${fault}`;
      return refuse("invalid_request", message, `tools[${index}].parameters`);
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
