import { z } from "zod";
import type { Checked } from "../../refusal.ts";
import { checkDeclarations } from "../declarations.ts";

const toolName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/u);

const declaration = z.strictObject({
  name: toolName,
  description: z.string().exactOptional(),
  // `parameters` takes another language, in which a JSON Schema would mean something else.
  parametersJsonSchema: z.record(z.string(), z.unknown()),
});

/** The tools that a client runs itself; hosted tools are not replayed. */
export const toolSchema = z.strictObject({ functionDeclarations: z.array(declaration).min(1) });

export const toolConfigSchema = z.strictObject({
  functionCallingConfig: z.strictObject({
    mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]),
    allowedFunctionNames: z.array(toolName).min(1).exactOptional(),
    streamFunctionCallArguments: z.boolean().exactOptional(),
  }),
});

export function checkTools(tools: readonly z.infer<typeof toolSchema>[]): Checked<null> {
  return checkDeclarations(
    tools.flatMap((tool, index) =>
      tool.functionDeclarations.map(({ name, parametersJsonSchema }, at) => ({
        name,
        place: `tools[${index}].functionDeclarations[${at}]`,
        schema: { at: "parametersJsonSchema", value: parametersJsonSchema },
        strict: false,
      })),
    ),
  );
}
