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
/** Lists of pieces of an input: their own keys are the protocol's. */
const PIECES_KEY = "partialArgs";
/** Unescaped, so that no text within a string can look like it. */
const ARGUMENT_DELTA = /"type"\s*:\s*"response\.(?:function_call_arguments|custom_tool_call_input)\.delta"/;
const DONE = "[DONE]";

/** A string, whole or without its end; a bracket or a sign; anything else up to the next of these. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/gsu;
const SCALAR = /^(?:true|false|null|-?\d[\d.eE+-]*)$/;

export function redactJson(payload: string, redaction: Redaction): string {
  if (payload.trim() === DONE) return payload;
  const delta = ARGUMENT_DELTA.test(payload);
  const known = { ...redaction, delta };
  return rewrite(payload, {
    text: (value, path) => redactString(value, path, known),
    scalar: (value, path) => (isForeign(path, known) ? value.replaceAll(/\d/g, "1") : value),
    key: (value, path) =>
      isForeign(path, known) && !path.includes(PIECES_KEY) ? redaction.placeholders.idFor(value) : value,
  });
}

/** The values of every key `name`: those of calls and of offered tools among them. */
export function callNames(payload: string): readonly string[] {
  const names: string[] = [];
  rewrite(payload, {
    text(value, path) {
      if (path.at(-1) === "name") names.push(value);
      return value;
    },
    scalar: (value) => value,
    key: (value) => value,
  });
  return names;
}

type Path = readonly string[];

interface Known extends Redaction {
  readonly delta: boolean;
}

function isArgument(path: Path, { delta }: Known): boolean {
  return path.some((name) => ARGUMENT_KEYS.has(name)) || (delta && path.at(-1) === "delta");
}

/** In arguments that are not the scenario's own no key, word or number is the protocol's. */
function isForeign(path: Path, known: Known): boolean {
  return !known.ownCalls && isArgument(path, known);
}

function redactString(value: string, path: Path, known: Known): string {
  const { placeholders, tools } = known;
  const key = path.at(-1) ?? "";
  if (isForeign(path, known)) return unreadable(value);
  if (isArgument(path, known)) return value;
  if (key === "name" && tools.has(value)) return value;
  if (WORD_KEYS.has(key) && isWord(value)) return value;
  if (ID_KEY.test(key) && !value.includes("\\")) return placeholders.idFor(value);
  return unreadable(value);
}

/** An escape is one character. */
function unreadable(value: string): string {
  return filler(value.replaceAll(/\\u[0-9a-f]{4}|\\./giu, "x").replaceAll("\\", "x"));
}

interface Frame {
  readonly isObject: boolean;
  key: string;
  wantsKey: boolean;
}

type Replace = (value: string, path: Path) => string;

interface Replacements {
  readonly text: Replace;
  readonly scalar: Replace;
  readonly key: Replace;
}

/** Hands over each string as it stands between its quotes, each other value and each key, with the keys around it. */
function rewrite(payload: string, replace: Replacements): string {
  const frames: Frame[] = [];
  return payload.replaceAll(TOKEN, (token) => {
    const frame = frames.at(-1);
    if (!token.startsWith('"')) {
      follow(frames, token);
      if (SCALAR.test(token)) return replace.scalar(token, pathOf(frames));
      return /^[{}[\],:]$/.test(token) ? token : filler(token);
    }
    const closed = token.length > 1 && isClosed(token);
    const inner = token.slice(1, closed ? -1 : undefined);
    if (frame?.wantsKey === true) {
      frame.key = inner;
      return `"${replace.key(inner, pathOf(frames.slice(0, -1)))}${closed ? '"' : ""}`;
    }
    return `"${replace.text(inner, pathOf(frames))}${closed ? '"' : ""}`;
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
