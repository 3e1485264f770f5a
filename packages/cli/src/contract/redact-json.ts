// The JSON text of one message in, the same text with its strings redacted out: token by token, so that layout, order,
// doubled keys and a missing end stay as they were; what is not known to be harmless is replaced.
import { filler, isWord, type Placeholders } from "./placeholders.ts";

export interface Redaction {
  readonly placeholders: Placeholders;
  readonly tools: ReadonlySet<string>;
  /** whether every call of the recording is one of `tools`: then their arguments are kept */
  readonly ownCalls: boolean;
}

/** Keys whose values are words of the protocol, by which a reader decides. */
const WORD_KEYS: ReadonlySet<string> = new Set(
  (
    "type object status role code reason phase execution model modelVersion service_tier tool_choice effort " +
    "truncation finish_reason native_finish_reason finishReason stop_reason blockReason"
  ).split(" "),
);
const ID_KEY = /^id$|_id$|Id$|_fingerprint$/;
/** Keys whose value is the input of a call, as a text or as an object. */
const ARGUMENT_KEYS: ReadonlySet<string> = new Set([
  "args",
  "arguments",
  "input",
  "partialArgs",
  "partial_json",
]);
/** Unescaped, so that no text within a string can look like it. */
const ARGUMENT_DELTA = /"type"\s*:\s*"response\.(?:function_call_arguments|custom_tool_call_input)\.delta"/;
const DONE = "[DONE]";

/** A string, whole or without its end; a bracket or a sign; anything else up to the next of these. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/gsu;
const SCALAR = /^(?:true|false|null|-?\d[\d.eE+-]*)$/;

export function redactJson(payload: string, redaction: Redaction): string {
  if (payload.trim() === DONE) return payload;
  const delta = ARGUMENT_DELTA.test(payload);
  return rewrite(payload, (value, path) => redactString(value, path, { ...redaction, delta }));
}

/** The values of every key `name`: those of calls and of offered tools among them. */
export function callNames(payload: string): readonly string[] {
  const names: string[] = [];
  rewrite(payload, (value, path) => {
    if (path.at(-1) === "name") names.push(value);
    return value;
  });
  return names;
}

type Path = readonly string[];

function redactString(value: string, path: Path, known: Redaction & { readonly delta: boolean }): string {
  const { placeholders, tools, ownCalls, delta } = known;
  const key = path.at(-1) ?? "";
  const isArgument = path.some((name) => ARGUMENT_KEYS.has(name)) || (delta && key === "delta");
  if (isArgument && ownCalls) return value;
  if (key === "name" && tools.has(value)) return value;
  if (WORD_KEYS.has(key) && isWord(value)) return value;
  if (ID_KEY.test(key) && !value.includes("\\")) return placeholders.idFor(value);
  return filler(value.replaceAll(/\\u[0-9a-f]{4}|\\./giu, "x").replaceAll("\\", "x"));
}

interface Frame {
  readonly isObject: boolean;
  key: string;
  wantsKey: boolean;
}

/** Hands each string that is a value to `replace`, as it stands between its quotes, with the keys that lead to it. */
function rewrite(payload: string, replace: (value: string, path: Path) => string): string {
  const frames: Frame[] = [];
  return payload.replaceAll(TOKEN, (token) => {
    const frame = frames.at(-1);
    if (!token.startsWith('"')) {
      follow(frames, token);
      return /^[{}[\],:]$/.test(token) || SCALAR.test(token) ? token : filler(token);
    }
    const closed = token.length > 1 && isClosed(token);
    const inner = token.slice(1, closed ? -1 : undefined);
    if (frame?.wantsKey === true) {
      frame.key = inner;
      return token;
    }
    return `"${replace(inner, pathOf(frames))}${closed ? '"' : ""}`;
  });
}

function follow(frames: Frame[], sign: string): void {
  const frame = frames.at(-1);
  if (sign === "{" || sign === "[") frames.push({ isObject: sign === "{", key: "", wantsKey: sign === "{" });
  else if (sign === "}" || sign === "]") frames.pop();
  else if (frame !== undefined && sign === ",") frame.wantsKey = frame.isObject;
  else if (frame !== undefined && sign === ":") frame.wantsKey = false;
}

/** A list has no key of its own: its strings count as values of the key that holds it. */
function pathOf(frames: readonly Frame[]): Path {
  return frames.filter(({ isObject }) => isObject).map(({ key }) => key);
}

function isClosed(token: string): boolean {
  return token.endsWith('"') && (/\\*$/.exec(token.slice(0, -1))?.[0].length ?? 0) % 2 === 0;
}
