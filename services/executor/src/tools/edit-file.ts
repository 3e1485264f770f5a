// Takes a passage of a file and what is to stand there, gives the file with that one passage replaced;
// refuses a passage that stands there more than once or not at all, and says how often and where.
import { Buffer } from "node:buffer";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import { changeContent } from "./change-content.ts";
import { changeWhileHeld } from "./change-while-held.ts";
import { expectFiles, plainFile, probeFiles } from "./file-states.ts";
import { readArguments } from "./read-arguments.ts";
import { endedPlan, refuse, succeed, type Tool } from "./tool-body.ts";

const editFileArguments = z.strictObject({
  path: z.string(),
  oldText: z.string().min(1),
  newText: z.string(),
});

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_TOLD = 10;
/** Where one character is repeated, a passage of it could be found everywhere. */
const MAX_COUNTED = 100;

export const editFileTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(editFileArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const { path, oldText, newText } = parsed.value;
    const file = await context.files.readFile(path, { maxBytes: MAX_FILE_BYTES });
    if (!file.ok) return endedPlan(refuse(file.errorClass, file.detail));
    const before = Buffer.from(file.bytes);
    const text = before.toString();
    if (!Buffer.from(text).equals(before))
      return endedPlan(refuse("TOOL_FAILED", "the file is not UTF-8 text"));
    const edited = replaceOnce(text, oldText, newText);
    if (!edited.ok) return endedPlan(refuse("TOOL_FAILED", edited.detail));
    const after = Buffer.from(edited.text);
    const { executable } = file;
    return {
      kind: "ready",
      expected: expectFiles([
        { path, before: plainFile(before, executable), after: plainFile(after, executable) },
      ]),
      changes: [{ kind: "content", path, after }],
      run: (signal) =>
        changeWhileHeld(context, signal, async () => {
          const change = await context.files.writeFile(path, after);
          if (!change.ok) return refuse(change.errorClass, change.detail);
          const content: JsonObject = { ...changeContent(path, change), line: edited.line };
          return succeed(content);
        }),
    };
  },
  probe: probeFiles,
};

export type Replaced =
  | { readonly ok: true; readonly text: string; readonly line: number }
  | { readonly ok: false; readonly detail: string };

/** `line` is the one, counted from 1, on which the passage begins. */
export function replaceOnce(text: string, oldText: string, newText: string): Replaced {
  if (oldText === newText) return { ok: false, detail: "the new text is the old text" };
  const places = placesOf(text, oldText);
  const [at] = places;
  if (at === undefined) return { ok: false, detail: notFound(text, oldText) };
  if (places.length > 1) return { ok: false, detail: ambiguous(text, places) };
  return {
    ok: true,
    text: text.slice(0, at) + newText + text.slice(at + oldText.length),
    line: lineAt(text, at),
  };
}

/** Overlapping ones count, too: which of them is meant can't be told. One over the limit says that there are more. */
function placesOf(text: string, passage: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + 1)) {
    places.push(at);
    if (places.length > MAX_COUNTED) break;
  }
  return places;
}

function ambiguous(text: string, places: readonly number[]): string {
  const lines = places.slice(0, MAX_TOLD).map((at) => lineAt(text, at));
  const more = places.length > MAX_TOLD ? " and further on" : "";
  const count = places.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(places.length);
  return `the old text stands in the file ${count} times, on lines ${lines.join(", ")}${more}; add lines around it until it is unique`;
}

/** The likeliest reasons are line ends, and blanks at the beginnings and ends of lines. */
function notFound(text: string, oldText: string): string {
  const missing = "the old text does not stand in the file";
  if (text.includes("\r\n") && text.replaceAll("\r\n", "\n").includes(oldText.replaceAll("\r\n", "\n"))) {
    return `${missing}: the file's lines end with \\r\\n`;
  }
  const [first] = placesOf(withoutMargins(text), withoutMargins(oldText).trim());
  return first === undefined || oldText.trim() === ""
    ? `${missing}; read it again and copy the passage exactly`
    : `${missing}; near line ${lineAt(withoutMargins(text), first)} is one that differs in blanks at the margins of its lines only`;
}

function withoutMargins(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .join("\n");
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next !== -1 && next < at; next = text.indexOf("\n", next + 1))
    line += 1;
  return line;
}
