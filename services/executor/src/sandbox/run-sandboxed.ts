import { spawn, type ChildProcess } from "node:child_process";
import { once, type EventEmitter } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { ServiceUser } from "../workspace/index.ts";
import type { SandboxResult } from "./backend.ts";
import { createOutputCollector, type OutputCollector } from "./capped-output.ts";
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
  /** What the program reads; null: nothing at all. */
  readonly stdin: Uint8Array | null;
  readonly outputBytes: number;
  readonly timeoutMs: number;
}

/** Descriptors inside bubblewrap. */
export const SECCOMP_FD = 3;
export const STATUS_FD = 4;

/** A process that was killed can't write; what is in the pipes by then is all there is. */
const DRAIN_MS = 300;
const KILL_AT_TIMES_THE_CAP = 4;

const NOT_SEEN_DEAD: SandboxResult = { kind: "unknown", reason: "its processes were not seen dead" };

type StopKind = "timeout" | "cancelled" | "output_limit";

interface Watched {
  readonly child: ChildProcess;
  readonly stdout: OutputCollector;
  readonly stderr: OutputCollector;
  readonly status: ReturnType<typeof createStatusReader>;
  /** The sandbox's first process, once it was seen. */
  readonly first: () => SeenProcess | null;
  readonly startedAt: number;
  readonly drained: Promise<unknown>;
}

interface Stop {
  readonly kind: StopKind;
  readonly seenDead: Promise<boolean>;
}

interface Exit {
  readonly kind: "exit";
  readonly byItself: boolean;
}

type Ending =
  | Exit
  | { readonly kind: "start_failed"; readonly reason: string }
  | { readonly kind: "stopped"; readonly stop: Stop };

export async function runSandboxed(start: SandboxStart, signal: AbortSignal): Promise<SandboxResult> {
  if (signal.aborted) return neverStarted(start.outputBytes);
  const child = spawnBwrap(start);
  if (child instanceof Error) return { kind: "sandbox_failed", reason: child.message };
  feed(child, start.stdin);
  const watched = watch(start, child);
  const ending = await firstEnding(start, watched, signal);
  await Promise.race([watched.drained, delay(DRAIN_MS)]);
  for (const stream of watched.child.stdio) stream?.destroy();
  switch (ending.kind) {
    case "start_failed":
      return { kind: "sandbox_failed", reason: ending.reason };
    case "stopped":
      return settleStop(watched, ending.stop);
    case "exit":
      return settleExit(start, watched, ending);
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
  for (const fd of start.inherited) {
    while (stdio.length < fd) stdio.push("ignore");
    if (fd > STATUS_FD) stdio[fd] = devNull;
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

/** A program may end, or close its input, before it has read all: that is its own business, and no error here. */
function feed(child: ChildProcess, stdin: Uint8Array | null): void {
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
}

function watch(start: SandboxStart, child: ChildProcess): Watched {
  const stdout = createOutputCollector(start.outputBytes);
  const stderr = createOutputCollector(start.outputBytes);
  const status = createStatusReader();
  const report = child.stdio[STATUS_FD];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  let first: SeenProcess | null = null;
  report?.on("data", (chunk: Buffer) => {
    status.push(chunk.toString("latin1"));
    const { childPid } = status.status();
    first ??= childPid === null ? null : seeBwrap(childPid);
  });
  const drained = Promise.all([child.stdout, child.stderr, report].map(closed));
  return { child, stdout, stderr, status, first: () => first, startedAt: performance.now(), drained };
}

/** An error on a pipe ends it as well; what arrived until then is what there is. */
async function closed(stream: EventEmitter | null | undefined): Promise<void> {
  if (stream) await once(stream, "close").catch(() => []);
}

function firstEnding(start: SandboxStart, watched: Watched, signal: AbortSignal): Promise<Ending> {
  const { child } = watched;
  return new Promise((resolve) => {
    let stop: Stop | null = null;
    let exited = false;
    const stopFor = (kind: StopKind): void => {
      if (stop !== null || exited) return;
      const seenDead = killTree(start, watched);
      const stopping: Stop = { kind, seenDead };
      stop = stopping;
      // Settles even if the exit is never reported, which would mean a tree that can't be killed.
      void seenDead.then(() => resolve({ kind: "stopped", stop: stopping }));
    };
    const timer = setTimeout(() => stopFor("timeout"), start.timeoutMs);
    const onAbort = (): void => stopFor("cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    const cleanUp = (): void => {
      exited = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const maxTotal = start.outputBytes * KILL_AT_TIMES_THE_CAP;
    const onData = (): void => {
      if (watched.stdout.totalBytes() + watched.stderr.totalBytes() > maxTotal) stopFor("output_limit");
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.once("error", (error) => {
      cleanUp();
      resolve({ kind: "start_failed", reason: error.message });
    });
    child.once("exit", (code) => {
      cleanUp();
      if (stop === null) resolve({ kind: "exit", byItself: code !== null });
    });
  });
}

function killTree(start: SandboxStart, watched: Watched): Promise<boolean> {
  const outer = watched.child.pid === undefined ? null : seeBwrap(watched.child.pid);
  const known = [watched.first(), outer].filter((seen) => seen !== null);
  return killMarked(start.marker, known);
}

async function settleStop(watched: Watched, stop: Stop): Promise<SandboxResult> {
  if (!(await stop.seenDead)) return NOT_SEEN_DEAD;
  return { kind: stop.kind, ...outputOf(watched) };
}

async function settleExit(start: SandboxStart, watched: Watched, exit: Exit): Promise<SandboxResult> {
  const { exitCode, childPid } = watched.status.status();
  if (childPid !== null && !(await seenDead(start.marker, watched.first()))) return NOT_SEEN_DEAD;
  if (exitCode !== null) return { kind: "exited", code: exitCode, ...outputOf(watched) };
  // Somebody killed bubblewrap itself: what it had started may have run.
  if (!exit.byItself && childPid !== null) return { kind: "unknown", reason: "the sandbox was killed" };
  return { kind: "sandbox_failed", reason: sandboxWords(watched) };
}

function sandboxWords(watched: Watched): string {
  const words = watched.stderr.finish().head.toString().trim().slice(0, 300);
  return words === "" ? "the sandbox ended without a word" : words;
}

function outputOf(watched: Watched) {
  return {
    stdout: watched.stdout.finish(),
    stderr: watched.stderr.finish(),
    durationMs: Math.round(performance.now() - watched.startedAt),
  };
}

function neverStarted(outputBytes: number): SandboxResult {
  const empty = createOutputCollector(Math.min(outputBytes, 1)).finish();
  return { kind: "cancelled", stdout: empty, stderr: empty, durationMs: 0 };
}
