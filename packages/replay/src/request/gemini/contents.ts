import { z } from "zod";

const object = z.record(z.string(), z.unknown());
const textPart = z.strictObject({ text: z.string().min(1) });
const responsePart = z.strictObject({
  functionResponse: z.strictObject({
    id: z.string().min(1).exactOptional(),
    name: z.string().min(1),
    response: object,
  }),
});

// The data of a part: exactly one of them, or none beside a signature.
const data = {
  text: z.string().exactOptional(),
  functionCall: z
    .strictObject({
      id: z.string().min(1).exactOptional(),
      name: z.string().min(1),
      args: object.exactOptional(),
    })
    .exactOptional(),
} as const;
/** What the provider did by itself. Only the comparison with the recorded answer says whether it is whole. */
const providerData = {
  codeExecutionResult: object.exactOptional(),
  executableCode: object.exactOptional(),
  fileData: object.exactOptional(),
  inlineData: object.exactOptional(),
  toolCall: object.exactOptional(),
  toolResponse: object.exactOptional(),
} as const;
const marks = {
  thought: z.boolean().exactOptional(),
  thoughtSignature: z.string().min(1).exactOptional(),
  partMetadata: object.exactOptional(),
} as const;

const checkedPart = z.strictObject({ ...data, ...marks });
const modelPart = z.strictObject({ ...data, ...providerData, ...marks }).refine(holdsOneThing, {
  message: "a part has to hold exactly one thing, and no text without letters or a signature",
});

const userContent = z.strictObject({
  role: z.literal("user"),
  parts: z.array(z.union([textPart, responsePart])).min(1),
});
const modelContent = z.strictObject({ role: z.literal("model"), parts: z.array(modelPart).min(1) });

export const contentSchema = z.discriminatedUnion("role", [userContent, modelContent]);

export type Content = z.infer<typeof contentSchema>;

/** Content of parts whose shape is checked here. */
export type CheckedContent =
  | z.infer<typeof userContent>
  | { readonly role: "model"; readonly parts: z.infer<typeof checkedPart>[] };

function holdsOneThing(part: Readonly<Record<string, unknown>>): boolean {
  const held = [...Object.keys(data), ...Object.keys(providerData)].filter((key) => key in part);
  if (held.length === 0 || part["text"] === "") return part["thoughtSignature"] !== undefined;
  return held.length === 1;
}
