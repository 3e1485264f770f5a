import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

export const processIdentitySchema = z.strictObject({
  name: z.string(),
  pid: z.int().min(2),
  /** start time in clock ticks since boot: with the pid, it names one process for good */
  startedAt: z.string(),
});
/** One process and no other, even after its pid went to somebody else. */
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export function identify(name: string, pid: number): ProcessIdentity | null {
  const startedAt = startTicks(pid);
  return startedAt === null ? null : { name, pid, startedAt };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return startTicks(pid) === startedAt;
}

/** Asks a process to end, and makes it end when it doesn't within the grace. */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  const until = Date.now() + graceMs;
  if (isAlive(identity)) process.kill(identity.pid, "SIGTERM");
  while (isAlive(identity) && Date.now() < until) await sleep(50);
  if (isAlive(identity)) process.kill(identity.pid, "SIGKILL");
}

const STATE = 0;
const START_TIME = 19;

/** The 22nd field of /proc/<pid>/stat; the second one, a name in parentheses, may hold anything. */
function startTicks(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[STATE] === "Z" ? null : (fields[START_TIME] ?? null);
  } catch {
    return null; // there is no such process
  }
}
