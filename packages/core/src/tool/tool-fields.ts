import { z } from "zod";
import { toolDocumentSchema } from "./tool-document.ts";

/** One key of a tool's file, for people who write one. */
export interface ToolField {
  /** with the keys around it, as in `limits.timeoutMs` */
  readonly name: string;
  readonly takes: string;
  readonly required: boolean;
  /** as JSON; null where there is none, or where it is that of the keys inside */
  readonly fallback: string | null;
  readonly meaning: string;
}

/** What is shown of one key, as JSON Schema says it. */
const fieldSchema = z.object({
  type: z.string().optional(),
  const: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.json().optional(),
  description: z.string(),
  get properties() {
    return z.record(z.string(), fieldSchema).optional();
  },
});
type Field = z.infer<typeof fieldSchema>;

const documentSchema = z.object({
  properties: z.record(z.string(), fieldSchema),
  required: z.array(z.string()),
});

/** Every key, from the schema that reads the file. */
export function toolFields(): readonly ToolField[] {
  const document = documentSchema.parse(z.toJSONSchema(toolDocumentSchema, { io: "input" }));
  const required = new Set(document.required);
  return Object.entries(document.properties).flatMap(([name, field]) => fieldsOf(name, field, required));
}

function fieldsOf(name: string, field: Field, required: ReadonlySet<string>): readonly ToolField[] {
  const inner = Object.entries(field.properties ?? {}).flatMap(([key, each]) =>
    fieldsOf(`${name}.${key}`, each, required),
  );
  const bare = inner.length > 0 || field.default === undefined;
  return [
    {
      name,
      takes: takes(field),
      required: required.has(name),
      fallback: bare ? null : JSON.stringify(field.default),
      meaning: field.description,
    },
    ...inner,
  ];
}

function takes({ type, const: only, enum: words, minimum, maximum }: Field): string {
  if (only !== undefined) return only;
  if (words !== undefined) return words.join(", ");
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return type === "array" ? "list of strings" : (type ?? "");
}
