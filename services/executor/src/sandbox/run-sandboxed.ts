import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { ServiceUser } from "../workspace/index.ts";
import { createAdmission, type Admission } from "./admission.ts";
import type { SandboxResult } from "./backend.ts";
import { firstEnding, type Stop } from "./child-ending.ts";
import {
  collectOutput,
  feed,
  KILL_AT_TIMES_THE_CAP,
  neverStarted,
  type ChildOutput,
} from "./child-output.ts";
import type { MemoryGroup } from "./memory-groups.ts";
import { killMarked, seeBwrap, seenDead, type SeenProcess } from "./process-tree.ts";
import { createStatusReader } from "./status-channel.ts";

/**
 * Starts one bubblewrap and settles once: when it exits, or when its whole tree has been killed. A result counts as
 * the tool's own only if bubblewrap itself reported the exit code of what it started.
 */
export interface SandboxStart {
  readonly bwrapPath: string;
  readonly args: readonly string[];
  readonly marker: string;
  readonly user: ServiceUser | null;
  /** Open descriptors of this process that the child must not get; they are covered with `/dev/null`. */
  readonly inherited: readonly number[];
  /** The filter of system calls, for bubblewrap to read; null: there is none. */
  readonly seccompFile: string | null;
  /** Of the call's processes, which bubblewrap was told to wait for; null: it wasn't. */
  readonly group: MemoryGroup | null;
  /** What the program reads; null: nothing at all. */
  readonly stdin: Uint8Array | null;
  readonly outputBytes: number;
  readonly timeoutMs: number;
}

/** Descriptors inside bubblewrap. */
export const SECCOMP_FD = 3;
export const STATUS_FD = 4;
export const BLOCK_FD = 5;

const NOT_SEEN_DEAD: SandboxResult = { kind: "unknown", reason: "its processes were not seen dead" };

interface Watched {
  readonly child: ChildProcess;
  readonly output: ChildOutput;
  readonly status: ReturnType<typeof createStatusReader>;
  /** The sandbox's first process, once it was seen. */
  readonly first: () => SeenProcess | null;
  readonly admission: Admission | null;
}

export async function runSandboxed(start: SandboxStart, signal: AbortSignal): Promise<SandboxResult> {
  if (signal.aborted) return neverStarted(start.outputBytes);
  const child = spawnBwrap(start);
  if (child instanceof Error) return { kind: "sandbox_failed", reason: child.message };
  feed(child, start.stdin);
  const watched = watch(start, child);
  const limits = {
    timeoutMs: start.timeoutMs,
    maxOutputBytes: start.outputBytes * KILL_AT_TIMES_THE_CAP,
    outputBytes: () => watched.output.totalBytes(),
    kill: () => killTree(start, watched),
  };
  const ending = await firstEnding(child, limits, signal);
  await watched.output.drain();
  switch (ending.kind) {
    case "start_failed":
      return { kind: "sandbox_failed", reason: ending.reason };
    case "stopped":
      return settleStop(watched, ending.stop);
    case "exit":
      return settleExit(start, watched, ending.code !== null);
  }
}

/**
 * An error before anything has started (no memory, an argv that is too long, no filter) is a value. Each start opens the
 * filter anew: bubblewrap reads it to its end.
 */
function spawnBwrap(start: SandboxStart): ChildProcess | Error {
  const opened: number[] = [];
  try {
    const devNull = openSync("/dev/null", "r+");
    opened.push(devNull);
    const filter = start.seccompFile === null ? devNull : openSync(start.seccompFile, "r");
    opened.push(filter);
    return spawnWith(start, { devNull, filter });
  } catch (error) {
    return error instanceof Error ? error : new Error("spawn failed", { cause: error });
  } finally {
    for (const fd of new Set(opened)) closeSync(fd);
  }
}

function spawnWith(
  start: SandboxStart,
  { devNull, filter }: { readonly devNull: number; readonly filter: number },
): ChildProcess {
  const stdin = start.stdin === null ? "ignore" : "pipe";
  const stdio: ("ignore" | "pipe" | number)[] = [stdin, "pipe", "pipe", filter, "pipe"];
  if (start.group !== null) stdio.push("pipe");
  const own = stdio.length;
  for (const fd of start.inherited) {
    while (stdio.length < fd) stdio.push("ignore");
    if (fd >= own) stdio[fd] = devNull;
  }
  return spawn(start.bwrapPath, start.args, {
    argv0: start.marker,
    cwd: "/",
    // Readable inside, as that of the first process there.
    env: {},
    stdio,
    ...(start.user === null ? {} : { uid: start.user.uid, gid: start.user.gid }),
  });
}

function watch(start: SandboxStart, child: ChildProcess): Watched {
  const status = createStatusReader();
  const admission = start.group === null ? null : createAdmission(child, BLOCK_FD, start.group);
  let first: SeenProcess | null = null;
  child.stdio[STATUS_FD]?.on("data", (chunk: Buffer) => {
    status.push(chunk.toString("latin1"));
    const { childPid } = status.status();
    if (childPid === null) return;
    first ??= seeBwrap(childPid);
    admission?.admit(childPid);
  });
  return { child, output: collectOutput(child, start.outputBytes), status, first: () => first, admission };
}

function killTree(start: SandboxStart, watched: Watched): Promise<boolean> {
  const outer = watched.child.pid === undefined ? null : seeBwrap(watched.child.pid);
  const known = [watched.first(), outer].filter((seen) => seen !== null);
  return killMarked(start.marker, known);
}

async function settleStop({ output }: Watched, stop: Stop): Promise<SandboxResult> {
  if (!(await stop.seenDead)) return NOT_SEEN_DEAD;
  return { kind: stop.kind, ...output.finish() };
}

async function settleExit(start: SandboxStart, watched: Watched, byItself: boolean): Promise<SandboxResult> {
  const { exitCode, childPid } = watched.status.status();
  if (childPid !== null && !(await seenDead(start.marker, watched.first()))) return NOT_SEEN_DEAD;
  const refusal = watched.admission?.refusal() ?? null;
  if (refusal !== null) return { kind: "sandbox_failed", reason: refusal };
  if (exitCode !== null) return { kind: "exited", code: exitCode, ...watched.output.finish() };
  // Somebody killed bubblewrap itself: what it had started may have run.
  if (!byItself && childPid !== null) return { kind: "unknown", reason: "the sandbox was killed" };
  return { kind: "sandbox_failed", reason: sandboxWords(watched.output) };
}

function sandboxWords(output: ChildOutput): string {
  const words = output.finish().stderr.head.toString().trim().slice(0, 300);
  return words === "" ? "the sandbox ended without a word" : words;
}
