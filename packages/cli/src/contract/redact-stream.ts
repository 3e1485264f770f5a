// The bytes of an event stream in, the same stream with every text that could be somebody's replaced out: line by line,
// so that its framing, its order and its faults stay; null where the bytes are no event stream in UTF-8, or hold JSON over
// several lines outside any field, which no line by itself shows.
import { createPlaceholders, filler, isWord } from "./placeholders.ts";
import { callNames, redactJson, type Redaction } from "./redact-json.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** The fields of an event stream; `""` begins a comment. */
const FIELDS: ReadonlySet<string> = new Set(["", "data", "event", "id", "retry"]);

/** `tools`: the names that the scenario's own tools have; only calls of nothing but these keep their arguments. */
export function redactStream(bytes: Uint8Array, tools: ReadonlySet<string>): string | null {
  const decoded = decode(bytes);
  if (decoded === null || !/^\ufeff?data:/m.test(decoded) || /^[ \t]*[[{]+[ \t]*$/m.test(decoded))
    return null;
  const [mark, text] = decoded.startsWith(BYTE_ORDER_MARK)
    ? [BYTE_ORDER_MARK, decoded.slice(1)]
    : ["", decoded];
  const lines = linesOf(text);
  const messages = messagesOf(lines);
  const ownCalls = messages.every(({ payload }) => callNames(payload).every((name) => tools.has(name)));
  const placeholders = createPlaceholders();
  const redaction = { placeholders, tools, ownCalls };
  const redacted = lines.map(({ text: line, end }) => `${redactLine(line, redaction)}${end}`);
  for (const { at, payload } of messages) {
    // strings hold no raw line end, so that the pieces are the lines again
    const pieces = redactJson(payload, redaction).split("\n");
    for (const [part, index] of at.entries()) {
      const line = lines[index];
      if (line !== undefined) redacted[index] = `${prefixOf(line.text)}${pieces[part] ?? ""}${line.end}`;
    }
  }
  return mark + redacted.join("");
}

interface Line {
  readonly text: string;
  readonly end: string;
}

interface Message {
  /** the indexes of its data lines */
  readonly at: readonly number[];
  readonly payload: string;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function linesOf(text: string): readonly Line[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return parts.flatMap((part, at) => (at % 2 === 0 ? [{ text: part, end: parts[at + 1] ?? "" }] : []));
}

function messagesOf(lines: readonly Line[]): readonly Message[] {
  const groups: number[][] = [[]];
  for (const [at, { text }] of lines.entries()) {
    if (text === "") groups.push([]);
    else if (text.startsWith("data:")) groups.at(-1)?.push(at);
  }
  const valueAt = (at: number): string =>
    (lines[at]?.text ?? "").slice(prefixOf(lines[at]?.text ?? "").length);
  return groups
    .filter((at) => at.length > 0)
    .map((at) => ({ at, payload: at.map((index) => valueAt(index)).join("\n") }));
}

function prefixOf(line: string): string {
  return line.startsWith("data: ") ? "data: " : "data:";
}

/** Every line but those of data; a gateway may write an error as a bare line of JSON. */
function redactLine(line: string, redaction: Redaction): string {
  if (/^\s*[[{]/.test(line)) return redactJson(line, redaction);
  const [, name = "", gap = "", value = ""] = /^([^:]*)(:? ?)(.*)$/s.exec(line) ?? [];
  const field = FIELDS.has(name) ? name : filler(name);
  if (name === "event" && isWord(value)) return line;
  if (name === "retry" && /^\d*$/.test(value)) return line;
  if (name === "id") return `${field}${gap}${redaction.placeholders.idFor(value)}`;
  return `${field}${gap}${filler(value)}`;
}
