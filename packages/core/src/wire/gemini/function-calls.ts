// Takes the functionCall parts of one response in order, gives its calls, whole or assembled from partial
// arguments; refuses fragments without a call, and calls that can't be told from a repetition.
import type { ErrorClass } from "../../fault/index.ts";
import { canonicalJson, parseStrictJson, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { object, objects, text } from "../fields.ts";
import { frameError } from "../frame.ts";
import { createPartialArguments, type PartialArguments } from "./partial-arguments.ts";
import { callFacts } from "./parts.ts";
import { createSeenCalls, type SeenCalls } from "./seen-calls.ts";
import { CHUNK } from "./wire-types.ts";

export interface CallPart {
  readonly part: JsonObject;
  /** The text of `args` as it was sent; null where there are none. */
  readonly argsText: string | null;
  readonly chunk: number;
}

export interface FunctionCalls {
  read(input: CallPart): readonly WireEvent[];
}

interface OpenCall {
  readonly slot: string;
  /** The part that opened the call: its signature belongs to the whole of it. */
  part: JsonObject;
  id: string | null;
  readonly name: string;
  readonly args: PartialArguments;
}

interface State {
  open: OpenCall | null;
  readonly seen: SeenCalls;
  slots: number;
}

interface NamedCall {
  readonly call: JsonObject;
  readonly name: string;
}

/** Bytes are bounded by the stream, depth by the parser itself. */
const ARGUMENT_LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, topLevel: "object" } as const;

export function createFunctionCalls(): FunctionCalls {
  const state: State = { open: null, seen: createSeenCalls(), slots: 0 };
  return {
    read(input) {
      const call = object(input.part["functionCall"]);
      if (call === null) return [fault("malformed_call", "STREAM_MALFORMED")];
      const name = text(call["name"]);
      if (name === null || isSameCall(state.open, call)) return continueCall(state, input, call);
      const streams = call["willContinue"] === true || objects(call["partialArgs"]).length > 0;
      return streams ? openCall(state, input, { call, name }) : readWhole(state, input, { call, name });
    },
  };
}

/** Some providers repeat id and name with every fragment. */
function isSameCall(open: OpenCall | null, call: JsonObject): boolean {
  const id = text(call["id"]);
  return open !== null && id !== null && id === open.id && text(call["name"]) === open.name;
}

function readWhole(state: State, input: CallPart, { call, name }: NamedCall): readonly WireEvent[] {
  const args = call["args"] ?? null;
  if (args !== null && object(args) === null) return [fault("malformed_arguments", "STREAM_MALFORMED")];
  const id = text(call["id"]);
  const content = args === null ? "" : (input.argsText ?? JSON.stringify(args));
  const value = args === null ? {} : parsedArguments(content);
  const repetition = state.seen.see({ id, name, argsKey: argumentsKey(content, value), chunk: input.chunk });
  if (repetition === "resent") return [];
  if (repetition === "reused") return [fault("call_id_reused", "IDENTITY_CONFLICT")];
  const raw = value === null ? { ...input.part, functionCall: { ...call, args: {} } } : input.part;
  const slot = nextSlot(state, id);
  return [
    ...(repetition === "ambiguous" ? [fault("call_repeated", "IDENTITY_CONFLICT")] : []),
    started(slot, id, name),
    { type: "item_finished", wireType: CHUNK, slot, raw, ...callFacts(id, name, content) },
  ];
}

function openCall(state: State, input: CallPart, { call, name }: NamedCall): readonly WireEvent[] {
  const id = text(call["id"]);
  const slot = nextSlot(state, id);
  // A call that is still open stays so for ever, and says so at the end.
  const open = { slot, part: input.part, id, name, args: createPartialArguments() };
  return [started(slot, id, name), ...applyFragments(state, open, { call, chunk: input.chunk })];
}

function continueCall(state: State, input: CallPart, call: JsonObject): readonly WireEvent[] {
  const { open } = state;
  if (open === null) return [fault("orphan_fragment", "EVENT_ORDER")];
  const id = text(call["id"]);
  const other = id !== null && open.id !== null && id !== open.id;
  open.id ??= id;
  open.part = { ...input.part, ...open.part };
  return [
    ...(other ? [fault("call_id_changed", "IDENTITY_CONFLICT")] : []),
    ...applyFragments(state, open, { call, chunk: input.chunk }),
  ];
}

/** A fragment that does not say that more follows is the last one. */
function applyFragments(
  state: State,
  open: OpenCall,
  { call, chunk }: { readonly call: JsonObject; readonly chunk: number },
): readonly WireEvent[] {
  const sent = call["partialArgs"] ?? [];
  const fragments = objects(sent);
  const whole = Array.isArray(sent) && sent.length === fragments.length;
  const applied = fragments.map((fragment) => open.args.apply(fragment));
  // Whole arguments beside partial ones, or in pieces, are no protocol at all.
  const fits = whole && applied.every(Boolean) && !hasArguments(call["args"]);
  const faults = fits ? [] : [fault("fragment_does_not_fit", "ARGUMENTS_MISMATCH")];
  const continues = call["willContinue"] === true;
  state.open = continues ? open : null;
  return continues ? faults : [...faults, ...closeCall(state, open, chunk)];
}

function closeCall(state: State, open: OpenCall, chunk: number): readonly WireEvent[] {
  const args = open.args.finish();
  // A text was to be continued: the call stays unfinished, which a cut response explains and a normal one doesn't.
  if (args === null) return [];
  const { slot, id, name } = open;
  const content = JSON.stringify(args);
  const value = parsedArguments(content);
  const repetition = state.seen.see({ id, name, argsKey: argumentsKey(content, value), chunk });
  const { partialArgs: _partial, willContinue: _more, ...call } = object(open.part["functionCall"]) ?? {};
  const functionCall = { ...call, ...(id === null ? {} : { id }), args: value ?? {} };
  const raw = { ...open.part, functionCall };
  return [
    ...(repetition === null ? [] : [fault("call_repeated", "IDENTITY_CONFLICT")]),
    { type: "item_finished", wireType: CHUNK, slot, raw, ...callFacts(id, name, content) },
  ];
}

function hasArguments(args: JsonValue | undefined): boolean {
  const fields = object(args);
  return fields === null ? (args ?? null) !== null : Object.keys(fields).length > 0;
}

/** Null for what the strict parser refuses: such a call is set aside, and repeated without arguments. */
function parsedArguments(content: string): JsonValue | null {
  const result = parseStrictJson(content, ARGUMENT_LIMITS);
  return result.ok ? result.value : null;
}

function argumentsKey(content: string, value: JsonValue | null): string {
  return value === null ? content : canonicalJson(value);
}

function nextSlot(state: State, id: string | null): string {
  state.slots += 1;
  return id === null ? `call:${state.slots}` : `id:${id}`;
}

function started(slot: string, callId: string | null, name: string): WireEvent {
  const identity = { kind: "tool_call", callId, name, argumentsKind: "json" } as const;
  return { type: "item_started", wireType: CHUNK, slot, ...identity };
}

function fault(code: string, errorClass: ErrorClass): WireEvent {
  return frameError(CHUNK, code, errorClass);
}
