// What this executor is about to do, and what came of it, on its own disk before anything else knows; refuses to let a
// call go on where the disk doesn't take the line.
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Ending } from "@airlock/core/ledger";
import { z } from "zod";
import { createAppendFile, syncFolder, type AppendFile } from "./append-file.ts";
import { lockFolder, type FolderLock } from "./folder-lock.ts";
import { encodeLine, type LogLine, type StartedLine } from "./log-line.ts";
import { LOG_FILE, logFiles, readLog, type LoggedCalls } from "./read-log.ts";

/** A file that grew to this is closed, and the next one begun. */
const FILE_BYTES = 16_777_216;
/** How long a file is kept after its last line: longer than any replica lags behind. */
const KEPT_MS = 86_400_000;
const LOCK_LOST = "the lock of the write-ahead log was lost: restart the executor";

/** Up to where a log was held against Redis: its epoch, and the least fence that can't have been given out before it. */
export const markSchema = z.strictObject({ epoch: z.string(), fenceFloor: z.int().min(0) });
export type Mark = z.infer<typeof markSchema>;

export interface WriteAheadLog {
  readonly folder: string;
  /** Null where lines can be written; else what keeps them from it. */
  trouble(): string | null;
  /** Opens a file again after trouble. False while the disk still takes nothing. */
  mend(): Promise<boolean>;
  /** Resolves once the line is on the disk; throws what the disk said. */
  started(line: Omit<StartedLine, "type" | "at">): Promise<void>;
  committed(call: { readonly itemKey: string; readonly fence: number }, ending: Ending): Promise<void>;
  /** The call is over in Redis as well: nothing of it runs here any more. */
  settled(itemKey: string): void;
  /** Whether the call runs in this process now. */
  running(itemKey: string): boolean;
  /** The highest fence of a call that began, as far as the log goes back; 0 for none. */
  knownFence(itemKey: string): number;
  /** False is proof that nothing ran under the fence; null: the owner's log is not here. */
  knownStart(itemKey: string, fence: number, owner: string): boolean | null;
  read(): Promise<LoggedCalls>;
  /** Takes over the files of another log, which nobody uses. */
  take(folder: string): Promise<void>;
  setMark(mark: Mark): Promise<void>;
  close(): Promise<void>;
}

/** Makes the log of `owner` below `base`, locked before anybody can see it. */
export async function openWriteAheadLog(base: string, owner: string): Promise<WriteAheadLog> {
  await mkdir(base, { recursive: true, mode: 0o700 });
  const hidden = path.join(base, `.new-${owner}`);
  const folder = path.join(base, owner);
  await mkdir(hidden, { mode: 0o700 });
  const lock = await lockFolder(hidden);
  if (lock === null) throw new Error(`${hidden} was locked by somebody else as it was made`);
  await rename(hidden, folder);
  await syncFolder(base);
  return logOf({ folder, owner, lock, file: await newFile(folder, owner) });
}

export async function readMark(folder: string): Promise<Mark | null> {
  try {
    return markSchema.parse(JSON.parse(await readFile(path.join(folder, "mark"), "utf8")));
  } catch {
    // not yet held against anything, or on its way out: either way it vouches for nothing
    return null;
  }
}

interface Parts {
  readonly folder: string;
  readonly owner: string;
  readonly lock: FolderLock;
  readonly file: AppendFile;
}

function logOf({ folder, owner, lock, file: first }: Parts): WriteAheadLog {
  const starts = new Map<string, { readonly fence: number; readonly at: number }>();
  const owners = new Set([owner]);
  const running = new Map<string, string>();
  let file: AppendFile | null = first;
  let trouble: string | null = null;
  let opening: Promise<void> | null = null;

  async function openNext(): Promise<void> {
    const full = file;
    file = null;
    await full?.close();
    file = await newFile(folder, owner);
    for (const dropped of await dropOld(folder, new Set(running.values()))) owners.delete(dropped);
    for (const [itemKey, { at }] of starts) {
      if (Date.now() - at > KEPT_MS && !running.has(itemKey)) starts.delete(itemKey);
    }
  }
  async function write(line: LogLine): Promise<string> {
    if (lock.lost.aborted) throw new Error(LOCK_LOST);
    let used: AppendFile | null = null;
    try {
      while (file === null || file.size() >= FILE_BYTES) {
        await (opening ??= openNext().finally(() => {
          opening = null;
        }));
      }
      used = file;
      await used.append(encodeLine(line));
      trouble = null;
      return used.name;
    } catch (error) {
      trouble = `the write-ahead log can't be written: ${codeOf(error)}`;
      if (file === used) file = null;
      throw error;
    }
  }
  const knownFence = (itemKey: string): number => starts.get(itemKey)?.fence ?? 0;
  function know(itemKey: string, { fence, at }: Pick<StartedLine, "fence" | "at">): void {
    if (fence > knownFence(itemKey)) starts.set(itemKey, { fence, at });
  }
  return {
    folder,
    trouble: () => (lock.lost.aborted ? LOCK_LOST : trouble),
    async mend() {
      if (trouble === null) return true;
      try {
        await write({ type: "opened", version: 1, owner });
        return true;
      } catch {
        return false; // `trouble` says why
      }
    },
    async started(call) {
      const at = Date.now();
      running.set(call.itemKey, await write({ type: "started", at, ...call }));
      know(call.itemKey, { fence: call.fence, at });
    },
    async committed({ itemKey, fence }, ending) {
      await write({ type: "committed", at: Date.now(), itemKey, fence, ending });
    },
    settled: (itemKey) => void running.delete(itemKey),
    running: (itemKey) => running.has(itemKey),
    knownFence,
    knownStart: (itemKey, fence, by) => (owners.has(by) ? knownFence(itemKey) >= fence : null),
    read: () => readLog(folder),
    async take(other) {
      for (const [itemKey, { started }] of await readLog(other)) know(itemKey, started);
      for (const from of await logFiles(other)) await rename(from, path.join(folder, path.basename(from)));
      await syncFolder(folder);
      for (const one of await ownersBelow([folder])) owners.add(one);
    },
    async setMark(mark) {
      await writeFile(path.join(folder, "mark.new"), JSON.stringify(mark), { mode: 0o600, flush: true });
      await rename(path.join(folder, "mark.new"), path.join(folder, "mark"));
      await syncFolder(folder);
    },
    async close() {
      await file?.close();
      await lock.release();
    },
  };
}

let made = 0;

async function newFile(folder: string, owner: string): Promise<AppendFile> {
  made += 1;
  const file = await createAppendFile(path.join(folder, `${Date.now() * 1000 + (made % 1000)}-${owner}.log`));
  await file.append(encodeLine({ type: "opened", version: 1, owner }));
  return file;
}

/** Removes the files whose last line is older than any that Redis may still have to be told; gives whose they were. */
async function dropOld(folder: string, needed: ReadonlySet<string>): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const file of await logFiles(folder)) {
    const age = Date.now() - (await stat(file)).mtimeMs;
    if (age <= KEPT_MS || needed.has(path.basename(file))) continue;
    await rm(file);
    dropped.push(ownerOf(file));
  }
  return dropped;
}

function ownerOf(file: string): string {
  return LOG_FILE.exec(path.basename(file))?.groups?.["owner"] ?? "";
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "an unknown error";
}

/** Every owner whose log is one of the folders, or among the files that one has taken over. */
export async function ownersBelow(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const files = await Promise.all(folders.map(logFiles));
  return new Set([...folders.map((folder) => path.basename(folder)), ...files.flat().map(ownerOf)]);
}
