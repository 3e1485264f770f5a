import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Finds and kills what runs under a name, also what an executor that is gone started. The name is the sandbox's
 * `argv[0]`, which its first process inside shares; both stand outside of what a model's program can imitate, since
 * that is never the first of its process namespace.
 */
export interface SeenProcess {
  readonly pid: number;
  /** With the pid, an identity: pids are used again. */
  readonly startTime: string;
}

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
    waitingFor = await stillAlive([...waitingFor, ...found]);
    if (waitingFor.length === 0) return true;
    if (performance.now() > deadline) return false;
    for (const seen of waitingFor) killQuietly(seen.pid);
    await delay(POLL_MS);
  }
}

/** The process as it is now; null when it is gone. */
export async function seeProcess(pid: number): Promise<SeenProcess | null> {
  const stat = await readStat(pid);
  return stat === null ? null : { pid, startTime: stat.startTime };
}

async function findMarked(marker: string): Promise<readonly SeenProcess[]> {
  const found: SeenProcess[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    if (!(await carriesMarker(pid, marker))) continue;
    const seen = await seeProcess(pid);
    if (seen !== null) found.push(seen);
  }
  return found;
}

async function carriesMarker(pid: number, marker: string): Promise<boolean> {
  const cmdline = await readProc(pid, "cmdline");
  if (cmdline?.split("\0", 1)[0] !== marker) return false;
  const numbers = /^NSpid:\s+(.*)$/m.exec((await readProc(pid, "status")) ?? "")?.[1]?.split(/\s+/) ?? [];
  // One number: a process of our own namespace. A last number of 1: the first one of a sandbox.
  return numbers.length === 1 || numbers.at(-1) === "1";
}

async function stillAlive(candidates: readonly SeenProcess[]): Promise<SeenProcess[]> {
  const alive = new Map<number, SeenProcess>();
  for (const seen of candidates) {
    const now = await readStat(seen.pid);
    // The first process of a namespace becomes a zombie only when all others of it are gone.
    if (now !== null && now.startTime === seen.startTime && now.state !== "Z" && now.state !== "X") {
      alive.set(seen.pid, seen);
    }
  }
  return [...alive.values()];
}

async function readStat(pid: number): Promise<{ state: string; startTime: string } | null> {
  const text = await readProc(pid, "stat");
  if (text === null) return null;
  // The name in parentheses may itself hold blanks and parentheses; fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startTime: fields[19] ?? "" };
}

async function readProc(pid: number, file: "cmdline" | "stat" | "status"): Promise<string | null> {
  // Gone, or not ours to look at: in both cases not a process that we started.
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => null);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It died in the meantime, or isn't ours; the next look decides.
  }
}
