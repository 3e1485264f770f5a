import { z } from "zod";
import type { Checked } from "../../refusal.ts";
import { checkDeclarations } from "../declarations.ts";

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
  return checkDeclarations(
    tools.map((tool, index) => ({
      name: tool.name,
      place: `tools[${index}]`,
      schema: tool.type === "function" ? { at: "parameters", value: tool.parameters } : null,
      strict: tool.type === "function" && tool.strict,
    })),
  );
}
