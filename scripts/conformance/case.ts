import type { ReplayDocument, ReplayItem, ReplayLimits, ReplayOptions } from "@airlock/cli";
import type { ErrorClass } from "@airlock/core/fault";
import type { JsonValue } from "@airlock/core/json";
import type { ResponseFlag } from "@airlock/core/wire";

/** How a case's bytes are read; what is left out is as in an offline replay. */
export interface CaseOptions {
  readonly closingMarker?: "required";
  readonly maxOutputTokens?: number;
  readonly end?: ReplayOptions["end"];
  readonly tools?: readonly string[];
  readonly limits?: Partial<ReplayLimits>;
}

export interface ConformanceCase {
  readonly name: string;
  /** One sentence: what arrives and what must follow. */
  readonly title: string;
  /** Rows of the catalogue of deviations, or nothing for what the protocol itself says. */
  readonly covers: readonly string[];
  /** `sse` for a stream, `json` for a whole body. */
  readonly form: "sse" | "json";
  readonly content: string | Uint8Array;
  readonly options?: CaseOptions;
  readonly expect: Expectation;
}

type ExpectedItem = Omit<ReplayItem, "ordinal" | "state">;

export interface Expectation {
  readonly outcome: ReplayDocument["outcome"];
  readonly raw: string | null;
  readonly errorClass: ErrorClass | null;
  readonly items: readonly ExpectedItem[];
  /** Where it is not the one that the family's frames use here. */
  readonly responseId?: string | null;
  /** Where the bytes do not end as they should. */
  readonly end?: ReplayOptions["end"];
  readonly unknownEvents?: number;
  readonly flags?: readonly ResponseFlag[];
  /** What the built-in tools' schemas say of each call that would be released; given where it matters. */
  readonly verdicts?: readonly string[];
}

export function sse(
  name: string,
  title: string,
  rest: Omit<ConformanceCase, "name" | "title" | "form">,
): ConformanceCase {
  return { name, title, form: "sse", ...rest };
}

/** A whole body; its name says so, since the streamed form of the same may stand beside it. */
export function body(
  name: string,
  title: string,
  {
    value,
    ...rest
  }: Omit<ConformanceCase, "name" | "title" | "form" | "content"> & { readonly value: unknown },
): ConformanceCase {
  const content = typeof value === "string" ? value : `${JSON.stringify(value, null, 1)}\n`;
  return { name: `${name}.buffered`, title, form: "json", content, ...rest };
}

export function call(callId: string | null, name: string | null, args: JsonValue): ExpectedItem {
  return { kind: "tool_call", callId, name, argumentsKind: "json", arguments: args, errorClass: null };
}

export function textCall(callId: string, name: string, input: string): ExpectedItem {
  return { kind: "tool_call", callId, name, argumentsKind: "text", arguments: input, errorClass: null };
}

export function item(kind: Exclude<ReplayItem["kind"], "tool_call">): ExpectedItem {
  return { kind, callId: null, name: null, argumentsKind: null, arguments: null, errorClass: null };
}

/** Set aside: for the response's sake it keeps what it holds, for its own it doesn't. */
export function aside(
  expected: ExpectedItem,
  errorClass: ErrorClass = "RESPONSE_NOT_EXECUTABLE",
): ExpectedItem {
  const keeps = errorClass === "RESPONSE_NOT_EXECUTABLE" || errorClass === "TOOL_UNKNOWN";
  return { ...expected, arguments: keeps ? expected.arguments : null, errorClass };
}

export function runs(raw: string, ...items: readonly ExpectedItem[]): Expectation {
  return { outcome: "action_required", raw, errorClass: null, items };
}

export function completes(raw: string, ...items: readonly ExpectedItem[]): Expectation {
  return { outcome: "candidate_complete", raw, errorClass: null, items };
}

export function truncates(raw: string, ...items: readonly ExpectedItem[]): Expectation {
  return { outcome: "truncated", raw, errorClass: null, items };
}

export function stops(raw: string, ...items: readonly ExpectedItem[]): Expectation {
  return { outcome: "policy_stop", raw, errorClass: null, items };
}

export function refuses(
  errorClass: ErrorClass,
  raw: string | null,
  ...items: readonly ExpectedItem[]
): Expectation {
  return { outcome: "indeterminate", raw, errorClass, items };
}
