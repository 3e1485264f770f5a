import type { JsonObject } from "../../json/index.ts";
import type { ItemKind } from "../events.ts";

/** The chunks of this family have no type of their own. */
export const CHUNK = "GenerateContentResponse";

/** What a part may hold and who acts on it; text and thoughts are told apart by a flag of the part. */
const PART_KINDS = {
  codeExecutionResult: "other",
  executableCode: "provider_executed",
  fileData: "other",
  functionCall: "tool_call",
  functionResponse: "other",
  inlineData: "other",
  toolCall: "provider_executed",
  toolResponse: "other",
} as const satisfies Record<string, ItemKind>;

const KIND_BY_FIELD: ReadonlyMap<string, ItemKind> = new Map(Object.entries(PART_KINDS));

/** The kind of a part, or `ambiguous` where it holds two things at once. */
export function partKind(part: JsonObject): ItemKind | "ambiguous" {
  const held = Object.keys(part).filter((field) => KIND_BY_FIELD.has(field) && part[field] !== null);
  if (held.length > 1) return "ambiguous";
  const [field] = held;
  if (field !== undefined) return KIND_BY_FIELD.get(field) ?? "other";
  if (typeof part["text"] === "string") return part["thought"] === true ? "reasoning" : "message";
  return "thoughtSignature" in part ? "reasoning" : "other";
}

/** Chunks that hold none of these say nothing that is known. */
const CHUNK_FIELDS = ["candidates", "modelVersion", "promptFeedback", "responseId", "usageMetadata"] as const;

export function isChunk(data: JsonObject): boolean {
  return CHUNK_FIELDS.some((field) => (data[field] ?? null) !== null);
}

/** The default of the protocol's own encoding: no reason at all. */
export const UNSPECIFIED = "FINISH_REASON_UNSPECIFIED";

/** The status under which a rejected prompt is given on; the block's reason stands beside it. */
export const BLOCKED = "blockReason";
