// What a plan would change and the files as they are in, one unified diff out; says in words what a diff can't show.
import { Buffer } from "node:buffer";
import { createTwoFilesPatch } from "diff";
import { fitText } from "../tools/index.ts";
import type { PlannedChange } from "../tools/index.ts";
import type { WorkspaceFs } from "../workspace/index.ts";

const MOST_BYTES = 256 * 1024;
const FILE_BYTES = 4 * 1024 * 1024;
/** Two large files with nothing in common would take minutes. */
const COMPARE_MS = 2_000;

export async function diffText(
  files: Pick<WorkspaceFs, "readFile">,
  changes: readonly PlannedChange[],
): Promise<string> {
  const parts: string[] = [];
  for (const change of changes) parts.push(await changeText(files, change));
  return fitText(parts.join(""), MOST_BYTES).text;
}

async function changeText(files: Pick<WorkspaceFs, "readFile">, change: PlannedChange): Promise<string> {
  if (change.kind === "move") return `rename from ${change.from}\nrename to ${change.to}\n`;
  const before = await contentOf(files, change.path);
  const after = change.after === null ? NOTHING : textOf(change.after);
  const names = [
    before.kind === "none" ? "/dev/null" : `a/${change.path}`,
    after.kind === "none" ? "/dev/null" : `b/${change.path}`,
  ] as const;
  if (before.kind === "words" || after.kind === "words") {
    return `--- ${names[0]}\n+++ ${names[1]}\n${wordsOf("-", before)}${wordsOf("+", after)}`;
  }
  if (before.text === after.text && before.kind === after.kind) {
    return `--- ${names[0]}\n+++ ${names[1]}\n@@ the same content as now @@\n`;
  }
  const patch = createTwoFilesPatch(...names, before.text, after.text, undefined, undefined, {
    context: 3,
    timeout: COMPARE_MS,
  });
  return patch === undefined
    ? `--- ${names[0]}\n+++ ${names[1]}\n@@ too different to be compared: all of it @@\n${whole("-", before.text)}${whole("+", after.text)}`
    : patch.slice(patch.indexOf("\n") + 1); // a line of signs that stands above the names
}

/** A file's text; `words`: what there is to say of one that is no text, or too long. */
type Content =
  | { readonly kind: "none" | "text"; readonly text: string }
  | { readonly kind: "words"; readonly words: string };

const NOTHING: Content = { kind: "none", text: "" };

async function contentOf(files: Pick<WorkspaceFs, "readFile">, path: string): Promise<Content> {
  const read = await files.readFile(path, { maxBytes: FILE_BYTES });
  if (read.ok) return textOf(read.bytes);
  return read.missing ? NOTHING : { kind: "words", words: read.detail };
}

function textOf(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString("utf8");
  if (!text.includes("\0") && Buffer.from(text).equals(buffer)) return { kind: "text", text };
  return { kind: "words", words: `${buffer.byteLength} bytes that are no text` };
}

function wordsOf(sign: "-" | "+", content: Content): string {
  if (content.kind === "words") return `${sign} (${content.words})\n`;
  return content.kind === "none" ? "" : whole(sign, content.text);
}

function whole(sign: "-" | "+", text: string): string {
  if (text === "") return "";
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  return `${lines.map((line) => `${sign}${line}`).join("\n")}\n`;
}
