// Files of a write-ahead log in, the calls that they tell of out; a torn end is what a crash leaves, anything else that
// is no line is refused by file and number.
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { decodeLine, type CommittedLine, type LogLine, type StartedLine } from "./log-line.ts";

/** The latest start of a call that a log knows, and its end, if that was written. */
export interface LoggedCall {
  readonly started: StartedLine;
  readonly committed: CommittedLine | null;
}

/** By item key. */
export type LoggedCalls = ReadonlyMap<string, LoggedCall>;

const LOG_FILE = /^\d{13,}-(?<owner>[\w-]+)\.log$/;

/** The files of one log, oldest first. */
export async function logFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => LOG_FILE.test(name));
  return names.toSorted().map((name) => path.join(folder, name));
}

/** Whose lines they are: the name stays when another log takes the file over. */
export function ownerOf(file: string): string {
  return LOG_FILE.exec(path.basename(file))?.groups?.["owner"] ?? "";
}

/** Every owner whose log is one of the folders, or among the files that one has taken over. */
export async function ownersBelow(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const files = await Promise.all(folders.map(logFiles));
  return new Set([...folders.map((folder) => path.basename(folder)), ...files.flat().map(ownerOf)]);
}

/** Throws WRITE_AHEAD_CORRUPT. */
export async function readLog(folder: string): Promise<LoggedCalls> {
  const calls = new Map<string, LoggedCall>();
  for (const file of await logFiles(folder)) {
    for await (const line of linesOf(file)) addTo(calls, line);
  }
  return calls;
}

function addTo(calls: Map<string, LoggedCall>, line: LogLine): void {
  if (line.type === "opened") return;
  const known = calls.get(line.itemKey);
  if (line.type === "started") {
    if (known === undefined || known.started.fence < line.fence)
      calls.set(line.itemKey, { started: line, committed: null });
    return;
  }
  if (known?.started.fence === line.fence) calls.set(line.itemKey, { ...known, committed: line });
}

async function* linesOf(file: string): AsyncGenerator<LogLine> {
  let number = 0;
  let rest = "";
  for await (const chunk of createReadStream(file, { encoding: "utf8" }) as AsyncIterable<string>) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const text of parts) {
      number += 1;
      const line = decodeLine(text);
      if (line === null) throw corrupt(file, number);
      yield line;
    }
  }
  // what stands after the last line end was never acknowledged: its call was not begun, or its end not told
}

function corrupt(file: string, number: number): AirlockError {
  return new AirlockError(
    "WRITE_AHEAD_CORRUPT",
    `${file}, line ${number}, is not as it was written; look through the calls of this file with ` +
      "`airlock show`, then move the file away",
  );
}
