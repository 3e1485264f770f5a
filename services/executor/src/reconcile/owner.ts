import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The name under which a process claims: host name, process space, process and a random part. It can name a folder.
 * A process space is one boot of a machine and one pid namespace of it: within it, and nowhere else, a process can see
 * another one dead.
 */
export function ownerName(): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9-]+/g, "-");
  return [host, processSpace(), `${process.pid}-${startTime(process.pid) ?? 0}`, randomUUID()].join("_");
}

const OWNER = /^[^_]*_(?<space>[0-9a-f]{12})_(?<pid>\d+)-(?<started>\d+)_[0-9a-f-]{36}$/;

/** Whether an executor can have this name. */
export function isOwnerName(name: string): boolean {
  return OWNER.test(name);
}

/** `gone`: seen dead from here; `alive`: it runs beside us; `elsewhere`: nobody here can see it. */
export type Standing = "ours" | "gone" | "alive" | "elsewhere";

export function standingOf(owner: string, ours: string): Standing {
  if (owner === ours) return "ours";
  const theirs = OWNER.exec(owner)?.groups;
  if (theirs === undefined || theirs["space"] !== OWNER.exec(ours)?.groups?.["space"]) return "elsewhere";
  return startTime(Number(theirs["pid"])) === Number(theirs["started"]) ? "alive" : "gone";
}

/** Where the kernel doesn't tell, each process has a space to itself: it can see nobody dead. */
function processSpace(): string {
  const boot = textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const namespace = textOf(() => readlinkSync("/proc/self/ns/pid"));
  const space = boot === "" || namespace === "" ? randomUUID() : `${boot}\n${namespace}`;
  return createHash("sha256").update(space).digest("hex").slice(0, 12);
}

/** In ticks since boot, of the process that has the pid now; null where there is none that could still do anything. */
function startTime(pid: number): number | null {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // the name in parentheses may itself hold blanks and parentheses; fields are counted after the last one
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  return started === undefined || state === "Z" || state === "X" ? null : Number(started);
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // gone, or a kernel that doesn't tell
  }
}
