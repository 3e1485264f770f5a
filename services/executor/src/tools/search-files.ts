// Takes a pattern and a place in the workspace, gives the lines that match; refuses what is no pattern or no place.
// Bounded in files, bytes, matches, depth, time and the size of what it returns, and it says which bound it met.
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import { linePattern, pathGlob } from "./line-pattern.ts";
import { readArguments } from "./read-arguments.ts";
import { lookingTool, refuse, succeed, type ToolContext } from "./tool-body.ts";

const searchFilesArguments = z.strictObject({
  path: z.string(),
  pattern: z.string().min(1),
  literal: z.boolean().optional(),
  ignoreCase: z.boolean().optional(),
  files: z.string().min(1).optional(),
  maxMatches: z.number().int().min(1).optional(),
});

const LISTING = { depth: 64, maxEntries: 20_000, skip: new Set(["node_modules"]) } as const;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const DEFAULT_MATCHES = 200;
/** Of a line that matches: what of it is shown. */
const SHOWN_CHARS = 300;
/** Lines after which other work of this process gets its turn. */
const LINES_AT_ONCE = 500;

type Bound = "matches" | "output" | "bytes" | "time" | "entries";

interface Search {
  readonly find: (line: string) => number;
  readonly maxMatches: number;
  readonly maxBytes: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly matches: JsonObject[];
  resultBytes: number;
  readBytes: number;
  searched: number;
  skipped: number;
  hidden: number;
  bound: Bound | null;
}

export const searchFilesTool = lookingTool(async (context, args, signal) => {
  const parsed = readArguments(searchFilesArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const { path, pattern, literal = false, ignoreCase = false, files, maxMatches } = parsed.value;
  const line = linePattern(pattern, { literal, ignoreCase });
  if (!line.ok) return refuse("TOOL_FAILED", line.detail);
  // Listing what there is counts as well.
  const deadline = performance.now() + context.limits.timeoutMs / 2;
  const places = await placesOf(context, path);
  if (!places.ok) return refuse("PATH_REFUSED", places.detail);
  const search: Search = {
    find: line.find,
    maxMatches: maxMatches ?? DEFAULT_MATCHES,
    maxBytes: context.limits.outputBytes,
    deadline,
    signal,
    matches: [],
    resultBytes: 0,
    readBytes: 0,
    searched: 0,
    skipped: 0,
    hidden: 0,
    bound: places.truncated ? "entries" : null,
  };
  const wanted = files === undefined ? () => true : pathGlob(files);
  for (const place of places.paths.filter(wanted)) {
    if (!(await searchFile(context, search, place))) break;
  }
  if (signal.aborted) return refuse("CANCELLED", "cancelled while it searched");
  const { matches, searched, skipped, hidden, bound } = search;
  return succeed({ matches, searched, skipped, hidden, truncated: bound !== null, bound });
});

type Places =
  | { readonly ok: true; readonly paths: readonly string[]; readonly truncated: boolean }
  | { readonly ok: false; readonly detail: string };

async function placesOf({ files }: ToolContext, path: string): Promise<Places> {
  const found = await files.stat(path);
  if (found.ok && found.exists && found.type === "file") return { ok: true, paths: [path], truncated: false };
  const listed = await files.list(path, LISTING);
  if (!listed.ok) return listed;
  const plain = listed.entries.filter(({ type }) => type === "file");
  return { ok: true, paths: plain.map((entry) => entry.path), truncated: listed.truncated };
}

/** False where the search is over. */
async function searchFile(context: ToolContext, search: Search, path: string): Promise<boolean> {
  if (search.signal.aborted) return false;
  if (!context.may("read", path)) {
    search.hidden += 1;
    return true;
  }
  const read = await context.files.readFile(path, { maxBytes: MAX_FILE_BYTES });
  const text = read.ok ? textOf(read.bytes) : null;
  if (!read.ok || text === null) {
    search.skipped += 1;
    return true;
  }
  search.readBytes += read.bytes.byteLength;
  if (search.readBytes > MAX_TOTAL_BYTES) return over(search, "bytes");
  search.searched += 1;
  return searchLines(search, path, text.split("\n"));
}

async function searchLines(search: Search, path: string, lines: readonly string[]): Promise<boolean> {
  for (const [index, line] of lines.entries()) {
    if (performance.now() > search.deadline) return over(search, "time");
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) {
      await setImmediate();
      if (search.signal.aborted) return false;
    }
    const at = search.find(line);
    if (at !== -1 && !take(search, { path, line: index + 1, text: shown(line, at) })) return false;
  }
  return true;
}

function take(search: Search, match: JsonObject): boolean {
  if (search.matches.length >= search.maxMatches) return over(search, "matches");
  search.resultBytes += Buffer.byteLength(JSON.stringify(match)) + 1;
  if (search.resultBytes > search.maxBytes) return over(search, "output");
  search.matches.push(match);
  return true;
}

function over(search: Search, bound: Bound): false {
  search.bound = bound;
  return false;
}

/** Null for what is no text. */
function textOf(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.includes(0)) return null;
  const text = buffer.toString();
  return Buffer.from(text).equals(buffer) ? text : null;
}

/** The line as it is, or what stands around the match. */
function shown(line: string, at: number): string {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (whole.length <= SHOWN_CHARS) return whole;
  const start = Math.max(0, Math.min(at - 100, whole.length - SHOWN_CHARS));
  const end = start + SHOWN_CHARS;
  const part = whole.slice(start, end).replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${start > 0 ? "…" : ""}${part}${end < whole.length ? "…" : ""}`;
}
