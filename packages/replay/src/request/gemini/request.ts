/**
 * In comes the text of a `:streamGenerateContent` or `:generateContent` body, out comes the request; refused is
 * whatever the API would refuse or would read in another way than a client that replays its conversation means it.
 */
import { z } from "zod";
import { accept, firstRefusal, refuse, type Checked } from "../../refusal.ts";
import type { PlayableRequest } from "../playable.ts";
import { parseBody } from "../shape.ts";
import { contentSchema, type CheckedContent } from "./contents.ts";
import { joinTexts } from "./join-texts.ts";
import { checkPairing } from "./pairing.ts";
import { checkTools, toolConfigSchema, toolSchema } from "./tools.ts";

const geminiRequestSchema = z.strictObject({
  contents: z.array(contentSchema).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) })
    .exactOptional(),
  tools: z.array(toolSchema).min(1).exactOptional(),
  toolConfig: toolConfigSchema.exactOptional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().positive().exactOptional(),
      stopSequences: z.array(z.string().min(1)).min(1).max(5).exactOptional(),
      temperature: z.number().min(0).max(2).exactOptional(),
      topP: z.number().min(0).max(1).exactOptional(),
      topK: z.int().min(1).exactOptional(),
      seed: z.int().exactOptional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().exactOptional(),
          thinkingBudget: z.int().exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
});

type Body = z.infer<typeof geminiRequestSchema>;

export type GeminiRequest = Omit<Body, "contents"> & { contents: CheckedContent[] };

/** Model and mode stand in the path. */
export function parseGeminiRequest(
  text: string,
  { model, mode }: Pick<PlayableRequest, "model" | "mode">,
): Checked<PlayableRequest> {
  const parsed = parseBody(text, geminiRequestSchema);
  if (!parsed.ok) return parsed;
  const { contents, tools, systemInstruction } = parsed.value;
  const fault = firstRefusal(
    () => checkCombination(parsed.value, mode),
    () => checkTools(tools ?? []),
    () => checkPairing(contents),
  );
  if (fault !== null) return fault;
  const entries = contents.flatMap(({ role, parts }, index) => {
    const byModel = role === "model";
    const values: readonly object[] = byModel ? joinTexts(parts) : parts;
    return values.map((value) => ({ value, place: `contents[${index}]`, byModel }));
  });
  return accept({ model, mode, settings: [systemInstruction, tools], entries });
}

function checkCombination(body: Body, mode: PlayableRequest["mode"]): Checked<null> {
  const config = body.toolConfig?.functionCallingConfig;
  if (config !== undefined && body.tools === undefined) {
    return refuse("invalid_request", "toolConfig is only allowed with tools", "toolConfig");
  }
  if (mode === "stream" || config?.streamFunctionCallArguments !== true) return accept(null);
  const message = "streamFunctionCallArguments is only allowed in a stream";
  return refuse("invalid_request", message, "toolConfig.functionCallingConfig.streamFunctionCallArguments");
}
