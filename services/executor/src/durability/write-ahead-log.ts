// What this executor is about to do, and what came of it, on its own disk before anything else knows; refuses to let a
// call go on where the disk doesn't take the line.
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import type { Ending } from "@airlock/core/ledger";
import { lockVolume, type VolumeLock } from "../workspace/index.ts";
import { syncFolder } from "./append-file.ts";
import { createKnownStarts, type KnownStarts } from "./known-starts.ts";
import type { StartedLine } from "./log-line.ts";
import { openLogWriter, type LogWriter } from "./log-writer.ts";
import { writeMark, type Mark } from "./mark.ts";
import { logFiles, ownersBelow, readLog, type LoggedCalls } from "./read-log.ts";

export interface WriteAheadLog extends Pick<KnownStarts, "knownFence" | "knownStart"> {
  readonly folder: string;
  /** Null where lines can be written; else what keeps them from it. */
  trouble(): string | null;
  /** Tries again after trouble. False while the disk still takes nothing. */
  mend(): Promise<boolean>;
  /** Resolves once the line is on the disk; throws what the disk said. */
  started(line: Omit<StartedLine, "type" | "at">): Promise<void>;
  committed(call: { readonly itemKey: string; readonly fence: number }, ending: Ending): Promise<void>;
  /** The call is over in Redis as well: nothing of it runs here any more. */
  settled(itemKey: string): void;
  /** Whether the call runs in this process now. */
  running(itemKey: string): boolean;
  read(): Promise<LoggedCalls>;
  /** Takes over the files of another log, which nobody uses. */
  take(folder: string): Promise<void>;
  setMark(mark: Mark): Promise<void>;
  close(): Promise<void>;
}

const LOCK_LOST = "the lock of the write-ahead log was lost: restart the executor";

/** What the process holds that a log belongs to. */
export function lockIn(folder: string): string {
  return path.join(folder, "lock");
}

/** Makes the log of `owner` below `base`, locked before anybody can see it. */
export async function openWriteAheadLog(base: string, owner: string): Promise<WriteAheadLog> {
  await mkdir(base, { recursive: true, mode: 0o700 });
  const hidden = path.join(base, `.new-${owner}`);
  const folder = path.join(base, owner);
  await mkdir(hidden, { mode: 0o700 });
  const lock = await lockVolume(lockIn(hidden), { wait: false });
  if (lock === null) throw new Error(`${hidden} was locked by somebody else as it was made`);
  await rename(hidden, folder);
  await syncFolder(base);
  await syncFolder(path.dirname(base));
  const known = createKnownStarts(owner);
  const running = new Map<string, string>();
  const writer = await openLogWriter({
    folder,
    owner,
    needed: () => new Set(running.values()),
    onDropped: (owners) => known.prune(owners, (itemKey) => running.has(itemKey)),
  });
  return logOf({ folder, owner, lock, known, running, writer });
}

interface Parts {
  readonly folder: string;
  readonly owner: string;
  readonly lock: VolumeLock;
  readonly known: KnownStarts;
  /** the file with the start of each call that runs now */
  readonly running: Map<string, string>;
  readonly writer: LogWriter;
}

function logOf({ folder, owner, lock, known, running, writer }: Parts): WriteAheadLog {
  const write: LogWriter["write"] = (line) => {
    if (lock.lost.aborted) throw new Error(LOCK_LOST);
    return writer.write(line);
  };
  const trouble = (): string | null => (lock.lost.aborted ? LOCK_LOST : writer.trouble());
  return {
    folder,
    trouble,
    async mend() {
      if (trouble() === null) return true;
      // a failure is what `trouble` tells
      await Promise.resolve({ type: "opened", version: 1, owner } as const)
        .then(write)
        .catch(() => undefined);
      return trouble() === null;
    },
    async started(call) {
      const at = Date.now();
      running.set(call.itemKey, await write({ type: "started", at, ...call }));
      known.add({ ...call, at });
    },
    async committed({ itemKey, fence }, ending) {
      await write({ type: "committed", at: Date.now(), itemKey, fence, ending });
    },
    settled: (itemKey) => void running.delete(itemKey),
    running: (itemKey) => running.has(itemKey),
    knownFence: (itemKey) => known.knownFence(itemKey),
    knownStart: (itemKey, fence, by) => known.knownStart(itemKey, fence, by),
    read: () => readLog(folder),
    async take(other) {
      for (const { started } of (await readLog(other)).values()) known.add(started);
      for (const from of await logFiles(other)) await rename(from, path.join(folder, path.basename(from)));
      await syncFolder(folder);
      known.addOwners(await ownersBelow([folder, other]));
    },
    setMark: (mark) => writeMark(folder, mark),
    async close() {
      await writer.close();
      await lock.release();
    },
  };
}
