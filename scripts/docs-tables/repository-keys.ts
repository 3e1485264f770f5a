import { repositoriesDocumentSchema } from "@airlock/core/run";
import { z } from "zod";
import type { Table } from "./markdown.ts";

/** What is shown of one key, as JSON Schema says it. */
const fieldSchema = z.object({
  const: z.string().optional(),
  default: z.json().optional(),
  description: z.string().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), fieldSchema).optional();
  },
  get oneOf() {
    return z.array(fieldSchema).optional();
  },
  get anyOf() {
    return z.array(fieldSchema).optional();
  },
  get items() {
    return fieldSchema.optional();
  },
});
type Field = z.infer<typeof fieldSchema>;

function rowsOf(name: string, field: Field, required: boolean): readonly (readonly string[])[] {
  const shown =
    field.description === undefined ? [] : [[`\`${name}\``, fallbackOf(field, required), field.description]];
  const variants = field.oneOf ?? field.anyOf ?? [];
  return [
    ...shown,
    ...innerRows(name === "" ? "" : `${name}.`, field),
    ...innerRows(`${name}[].`, field.items ?? EMPTY),
    ...variants.flatMap((variant) => innerRows(`${name}(${variant.properties?.["kind"]?.const}).`, variant)),
  ];
}

function innerRows(prefix: string, { properties = {}, required }: Field) {
  return Object.entries(properties).flatMap(([key, each]) =>
    rowsOf(`${prefix}${key}`, each, required.includes(key)),
  );
}

function fallbackOf(field: Field, required: boolean): string {
  if (field.const !== undefined) return `\`${field.const}\``;
  if (required) return "(required)";
  const inner = field.properties !== undefined || field.default === undefined;
  return inner ? "" : `\`${JSON.stringify(field.default)}\``;
}

const EMPTY: Field = { required: [] };

/** Every key of the repositories file, from the schema that reads it. */
export const REPOSITORY_KEYS: Table = {
  head: ["key", "default", "meaning"],
  rows: rowsOf("", fieldSchema.parse(z.toJSONSchema(repositoriesDocumentSchema, { io: "input" })), false),
};
