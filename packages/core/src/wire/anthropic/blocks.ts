import {
  canonicalJson,
  isJsonArray,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
} from "../../json/index.ts";
import type { ItemFacts } from "../events.ts";
import { object, text } from "../fields.ts";
import { blockKind, fits, type DeltaType } from "./wire-types.ts";

/** A content block while it is received. Pieces are joined once, at its end: linear in the bytes. */
export interface Block {
  readonly type: string;
  readonly start: JsonObject;
  /** The input that the opening event carried, as it was written; empty where it carried no object. */
  readonly startInput: string;
  readonly inputPieces: string[];
  readonly textPieces: Map<string, string[]>;
  /** Lists that deltas extend by a member, and fields that they replace. */
  readonly lists: Map<string, JsonValue[]>;
  readonly replaced: Map<string, JsonValue>;
  stopped: boolean;
}

/** Bytes are bounded by the stream, depth by the parser itself. */
const INPUT_LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, topLevel: "object" } as const;

export function openBlock(start: JsonObject, inputSource: string | null): Block | null {
  const type = text(start["type"]);
  if (type === null) return null;
  return {
    type,
    start,
    startInput: inputSource ?? ((start["input"] ?? "") === "" ? "" : JSON.stringify(start["input"])),
    inputPieces: [],
    textPieces: new Map(),
    lists: new Map(),
    replaced: new Map(),
    stopped: false,
  };
}

/** An empty object, null or nothing: converters write all three where the input follows, or there is none. */
export function hasInput(block: JsonObject): boolean {
  const input = block["input"] ?? "";
  const fields = object(input);
  return fields === null ? input !== "" : Object.keys(fields).length > 0;
}

/** False where the delta's value lacks what its type promises, or belongs to another kind of block. */
export function applyDelta(block: Block, type: DeltaType, value: JsonValue | undefined): boolean {
  if (!fits(type, block.type) || value === undefined) return false;
  switch (type.how) {
    case "append_member":
      listOf(block, type.into).push(value);
      return true;
    case "replace":
      block.replaced.set(type.into, value);
      return typeof value === "string";
    case "append_text":
      return append(piecesOf(block, type.into), value);
    case "input":
      return append(block.inputPieces, value);
  }
}

function append(pieces: string[], value: JsonValue): boolean {
  // A compaction may have no text at all.
  if (value === null) return true;
  if (typeof value !== "string") return false;
  pieces.push(value);
  return true;
}

function piecesOf(block: Block, field: string): string[] {
  const known = block.textPieces.get(field);
  if (known !== undefined) return known;
  const first = block.start[field];
  const pieces = typeof first === "string" ? [first] : [];
  block.textPieces.set(field, pieces);
  return pieces;
}

function listOf(block: Block, field: string): JsonValue[] {
  const known = block.lists.get(field);
  if (known !== undefined) return known;
  const first = block.start[field] ?? null;
  const list = first !== null && isJsonArray(first) ? [...first] : [];
  block.lists.set(field, list);
  return list;
}

/** The block as the follow-up repeats it, and what it says about itself. */
export function finishBlock(block: Block): { readonly raw: JsonObject; readonly facts: ItemFacts } {
  const input = readInput(block);
  const raw: Record<string, JsonValue> = { ...block.start };
  for (const [field, pieces] of block.textPieces) raw[field] = pieces.join("");
  for (const [field, value] of [...block.lists, ...block.replaced]) raw[field] = value;
  if (carriesInput(block)) raw["input"] = parsedInput(input) ?? {};
  return { raw, facts: readFacts(raw, input) };
}

export function readFacts(block: JsonObject, input: string): ItemFacts {
  const kind = blockKind(text(block["type"]) ?? "");
  const call = kind === "tool_call";
  return {
    kind,
    callId: call ? text(block["id"]) : null,
    name: call ? text(block["name"]) : null,
    argumentsKind: call ? "json" : null,
    content: call ? input : kind === "message" ? (text(block["text"]) ?? "") : null,
    status: null,
    refusal: false,
  };
}

/** Reads a block that was not streamed; null where it has no type. */
export function readItem(item: JsonObject): ItemFacts | null {
  const block = openBlock(item, null);
  return block === null ? null : finishBlock(block).facts;
}

function carriesInput(block: Block): boolean {
  const kind = blockKind(block.type);
  return kind === "tool_call" || kind === "provider_executed" || block.inputPieces.length > 0;
}

/**
 * The input comes with the opening event or in pieces, or in both if both say the same. Where they differ, the
 * opening one is given: it contradicts the pieces that were already given on, and nothing may hide that.
 */
function readInput(block: Block): string {
  const streamed = block.inputPieces.join("");
  if (streamed === "") return block.startInput;
  if (!hasInput(block.start)) return streamed;
  return sameInput(block.startInput, streamed) ? streamed : block.startInput;
}

function sameInput(left: string, right: string): boolean {
  const [one, other] = [parsedInput(left), parsedInput(right)];
  return one !== null && other !== null && canonicalJson(one) === canonicalJson(other);
}

/** Null for what the strict parser refuses: such a call is set aside, and repeated with an empty input. */
function parsedInput(input: string): JsonValue | null {
  const result = parseStrictJson(input, INPUT_LIMITS);
  return result.ok ? result.value : null;
}
