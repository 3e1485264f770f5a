import { z } from "zod";
import { policyDocumentSchema } from "./document-schema.ts";

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** Every key that a policy file may have, as `limits.argsBytes` or `rules[].id`. */
export function policyKeys(): readonly string[] {
  const schema = z.toJSONSchema(policyDocumentSchema, { io: "input", reused: "inline" });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema, of which two keywords are read
  return keysOf(schema as SchemaNode, "");
}

function keysOf({ properties, items }: SchemaNode, path: string): readonly string[] {
  if (properties !== undefined) {
    const below = path === "" ? "" : `${path}.`;
    return Object.entries(properties).flatMap(([key, inner]) => keysOf(inner, `${below}${key}`));
  }
  return items?.properties === undefined ? [path] : keysOf(items, `${path}[]`);
}
