import { isJsonObject, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { ArgumentsKind } from "../events.ts";
import { object, text } from "../fields.ts";
import type { SourcePath } from "../source-text.ts";
import { ARGUMENT_FIELDS, CALL_TYPES } from "./wire-types.ts";

/** One element of `tool_calls`, or a `function_call`, as one delta carries it. */
export interface CallFragment {
  /** An opaque key, never a position; null where none was sent. */
  readonly index: string | null;
  readonly id: string | null;
  readonly name: string | null;
  /** What the fragment says of its arguments: null for a type that nobody here knows. */
  readonly argumentsKind: ArgumentsKind | null;
  readonly type: string;
  /** Where the name and the arguments stand. */
  readonly member: "custom" | "function";
  readonly carrier: Carrier;
  /** The element, and its `function` or `custom` object, for what stands in them besides. */
  readonly raw: JsonObject;
  readonly body: JsonObject;
}

export type Carrier =
  | { readonly form: "text"; readonly text: string }
  /** An object or an array where a text belongs; `isEmpty` for `{}` only. */
  | { readonly form: "value"; readonly text: string; readonly isEmpty: boolean };

/** The exact text of a value in the frame, by its path below the fragment. */
export type SourceText = (path: SourcePath) => string | null;

/** The index that stands for the one call which the oldest form of this protocol can carry. */
const LEGACY_INDEX = "function_call";
export const LEGACY_KEY = JSON.stringify(LEGACY_INDEX);

/** Reads one element of `tool_calls`; null where a field that decides about execution has an impossible type. */
export function readFragment(raw: JsonObject, source: SourceText): CallFragment | null {
  const member = (raw["custom"] ?? null) === null ? "function" : "custom";
  const field = ARGUMENT_FIELDS[member];
  const body = readBody(raw[member]);
  const index = readIndex(raw["index"]);
  const carrier = body === null ? null : readCarrier(body[field] ?? "", source, [member, field]);
  if (body === null || index === undefined || carrier === null || !isName(body["name"])) return null;
  const type = text(raw["type"]) ?? member;
  const argumentsKind = CALL_TYPES.get(type) ?? null;
  const name = text(body["name"]);
  return { index, id: text(raw["id"]), name, argumentsKind, type, member, carrier, raw, body };
}

/** Reads a `function_call`, which has neither an id nor an index. */
export function readLegacyFragment(body: JsonObject, source: SourceText): CallFragment | null {
  return readFragment({ index: LEGACY_INDEX, function: body }, ([, ...path]) => source(path));
}

function isName(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function readIndex(value: JsonValue | undefined): string | null | undefined {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "number" || typeof value === "string" ? JSON.stringify(value) : undefined;
}

function readBody(value: JsonValue | undefined): JsonObject | null {
  return (value ?? null) === null ? {} : object(value);
}

function readCarrier(value: JsonValue, source: SourceText, path: SourcePath): Carrier | null {
  if (typeof value === "string") return { form: "text", text: value };
  if (value === null || typeof value !== "object") return null;
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  return { form: "value", text: source(path) ?? JSON.stringify(value), isEmpty };
}
