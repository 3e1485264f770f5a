import { z } from "zod";
import type { Checked } from "../../refusal.ts";
import { checkDeclarations } from "../declarations.ts";

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u);

/** The tools that a client runs itself and whose calls can be streamed. */
export const toolSchema = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: toolName,
    description: z.string().exactOptional(),
    parameters: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullable().exactOptional(),
  }),
});

export const toolChoiceSchema = z.union([
  z.enum(["auto", "none", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: toolName }) }),
]);

export function checkTools(tools: readonly z.infer<typeof toolSchema>[]): Checked<null> {
  return checkDeclarations(
    tools.map(({ function: { name, parameters, strict } }, index) => ({
      name,
      place: `tools[${index}].function`,
      schema: { at: "parameters", value: parameters },
      strict: strict === true,
    })),
  );
}
