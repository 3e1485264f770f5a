import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Finds and kills what runs under a name, also what an executor that is gone started. The name is the sandbox's
 * `argv[0]`, which its first process inside shares, or, of what runs outside of every sandbox, a variable that each
 * program hands on to those it starts. Neither can be imitated in a sandbox, where a model's program is never the first
 * of its process namespace, nor one of the executor's own.
 */
export interface SeenProcess {
  readonly pid: number;
  /** With the pid, an identity: pids are used again. */
  readonly startTime: string;
}

/** The environment variable that marks what runs outside of every sandbox, with all that it starts. */
export const MARK_VARIABLE = "AIRLOCK_MARK";

const SEEN_DEAD_WITHIN_MS = 2000;
const POLL_MS = 10;

/** An opaque form of the name: item keys stay out of process lists. */
export function processMarker(name: string): string {
  return `airlock-sandbox-${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
}

/** Returns once no process of the name is left, or false when one would not die. */
export async function killMarked(marker: string, known: readonly SeenProcess[] = []): Promise<boolean> {
  const deadline = performance.now() + SEEN_DEAD_WITHIN_MS;
  let waitingFor = [...known];
  for (;;) {
    const found = await findMarked(marker);
    waitingFor = stillAlive([...waitingFor, ...found]);
    if (waitingFor.length === 0) return true;
    if (performance.now() > deadline) return false;
    for (const seen of waitingFor) killQuietly(seen.pid);
    await delay(POLL_MS);
  }
}

/**
 * Bubblewrap exits as soon as its program has; the namespace's first process, and all that is left with it, are
 * killed by that and die a moment later. This waits for the moment.
 */
export async function seenDead(marker: string, first: SeenProcess | null): Promise<boolean> {
  if (first !== null && stillAlive([first]).length === 0) return true;
  return killMarked(marker, first === null ? [] : [first]);
}

/** The process as it is now, if it is one of bubblewrap's own; its name lasts longer than its command line. */
export function seeBwrap(pid: number): SeenProcess | null {
  const stat = readStat(pid);
  return stat?.name === "bwrap" ? { pid, startTime: stat.startTime } : null;
}

async function findMarked(marker: string): Promise<readonly SeenProcess[]> {
  const found: SeenProcess[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    if (!carriesMarker(pid, marker)) continue;
    const stat = readStat(pid);
    if (stat !== null) found.push({ pid, startTime: stat.startTime });
  }
  return found;
}

function carriesMarker(pid: number, marker: string): boolean {
  const byName = readProc(pid, "cmdline")?.split("\0", 1)[0] === marker;
  if (!byName && !isMarked(pid, marker)) return false;
  const numbers = /^NSpid:\s+(.*)$/m.exec(readProc(pid, "status") ?? "")?.[1]?.split(/\s+/) ?? [];
  // One number: a process of our own namespace. A last number of 1: the first one of a sandbox.
  return numbers.length === 1 || (byName && numbers.at(-1) === "1");
}

function isMarked(pid: number, marker: string): boolean {
  return readProc(pid, "environ")?.split("\0").includes(`${MARK_VARIABLE}=${marker}`) ?? false;
}

function stillAlive(candidates: readonly SeenProcess[]): SeenProcess[] {
  const alive = new Map<number, SeenProcess>();
  for (const seen of candidates) {
    const now = readStat(seen.pid);
    // The first process of a namespace becomes a zombie only when all others of it are gone.
    if (now !== null && now.startTime === seen.startTime && now.state !== "Z" && now.state !== "X") {
      alive.set(seen.pid, seen);
    }
  }
  return [...alive.values()];
}

interface Stat {
  readonly name: string;
  readonly state: string;
  readonly startTime: string;
}

function readStat(pid: number): Stat | null {
  const text = readProc(pid, "stat");
  if (text === null) return null;
  // The name in parentheses may itself hold blanks and parentheses; fields are counted after the last one.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  return {
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0] ?? "",
    startTime: fields[19] ?? "",
  };
}

/** Synchronous: these files never touch a disk, and what is seen must not be older than the question. */
function readProc(pid: number, file: "cmdline" | "environ" | "stat" | "status"): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone, or not ours to look at: in both cases not a process that we started.
    return null;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It died in the meantime, or isn't ours; the next look decides.
  }
}
