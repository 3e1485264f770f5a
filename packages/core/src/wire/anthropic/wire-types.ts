import type { ItemKind } from "../events.ts";

/** Every content block that decides about anything and who acts on it. A type that is not here is `other`. */
const BLOCK_KINDS = {
  mcp_tool_use: "provider_executed",
  redacted_thinking: "reasoning",
  server_tool_use: "provider_executed",
  text: "message",
  thinking: "reasoning",
  tool_use: "tool_call",
} as const satisfies Record<string, ItemKind>;

const KIND_BY_TYPE: ReadonlyMap<string, ItemKind> = new Map(Object.entries(BLOCK_KINDS));

export function blockKind(type: string): ItemKind {
  return KIND_BY_TYPE.get(type) ?? "other";
}

/** How a delta changes its block. `input` is JSON text, which stays text until the strict parser has seen all of it. */
export interface DeltaType {
  readonly from: string;
  readonly into: string;
  readonly how: "append_text" | "append_member" | "replace" | "input";
  /** The blocks that it belongs to; a block of a type that is not known may have any delta. */
  readonly blocks: readonly string[];
}

const DELTA_TYPES = {
  citations_delta: { from: "citation", into: "citations", how: "append_member", blocks: ["text"] },
  compaction_delta: { from: "content", into: "content", how: "append_text", blocks: ["compaction"] },
  input_json_delta: {
    from: "partial_json",
    into: "input",
    how: "input",
    blocks: ["tool_use", "server_tool_use", "mcp_tool_use"],
  },
  signature_delta: { from: "signature", into: "signature", how: "replace", blocks: ["thinking"] },
  text_delta: { from: "text", into: "text", how: "append_text", blocks: ["text"] },
  thinking_delta: { from: "thinking", into: "thinking", how: "append_text", blocks: ["thinking"] },
} as const satisfies Record<string, DeltaType>;

const DELTA_BY_NAME: ReadonlyMap<string, DeltaType> = new Map<string, DeltaType>(Object.entries(DELTA_TYPES));

export function deltaType(name: string): DeltaType | null {
  // Nearly all deltas of a long stream: a comparison is cheaper than the hash of a new string.
  if (name === "input_json_delta") return DELTA_TYPES[name];
  return DELTA_BY_NAME.get(name) ?? null;
}

/** A delta that belongs to another kind of block would build something that nobody sent. */
export function fits(delta: DeltaType, blockType: string): boolean {
  return delta.blocks.includes(blockType) || !KNOWN_BLOCKS.has(blockType);
}

const KNOWN_BLOCKS: ReadonlySet<string> = new Set([...KIND_BY_TYPE.keys(), "compaction"]);

/** The event that closes a stream. */
export const CLOSING_EVENT = "message_stop";
