import { z } from "zod";
import type { Checked } from "../../refusal.ts";
import { checkDeclarations } from "../declarations.ts";

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/u);

/** The tools that a client runs itself; hosted tools are not replayed. */
export const toolSchema = z.strictObject({
  name: toolName,
  description: z.string().exactOptional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  type: z.literal("custom").exactOptional(),
});

const parallel = { disable_parallel_tool_use: z.boolean().exactOptional() };

export const toolChoiceSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), ...parallel }),
  z.strictObject({ type: z.literal("any"), ...parallel }),
  z.strictObject({ type: z.literal("tool"), name: toolName, ...parallel }),
  z.strictObject({ type: z.literal("none") }),
]);

export function checkTools(tools: readonly z.infer<typeof toolSchema>[]): Checked<null> {
  return checkDeclarations(
    tools.map((tool, index) => ({
      name: tool.name,
      place: `tools[${index}]`,
      schema: { at: "input_schema", value: tool.input_schema },
      strict: false,
    })),
  );
}
