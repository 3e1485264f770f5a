import type { ChildProcess } from "node:child_process";
import { once, type EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { createOutputCollector, type CappedOutput } from "./capped-output.ts";

/** A process that was killed can't write; what is in the pipes by then is all there is. */
const DRAIN_MS = 300;

/** A program that writes this many times what is kept of it is killed. */
export const KILL_AT_TIMES_THE_CAP = 4;

export interface ChildOutput {
  totalBytes(): number;
  /** Waits a moment for what is still in the pipes, then closes them, whoever holds their other end. */
  drain(): Promise<void>;
  finish(): { readonly stdout: CappedOutput; readonly stderr: CappedOutput; readonly durationMs: number };
}

/** Collects both streams of a program, at most `maxBytes` of each. */
export function collectOutput(child: ChildProcess, maxBytes: number): ChildOutput {
  const startedAt = performance.now();
  const stdout = createOutputCollector(maxBytes);
  const stderr = createOutputCollector(maxBytes);
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  const drained = Promise.all(child.stdio.slice(1).map(closed));
  return {
    totalBytes: () => stdout.totalBytes() + stderr.totalBytes(),
    async drain() {
      await Promise.race([drained, delay(DRAIN_MS)]);
      for (const stream of child.stdio) stream?.destroy();
    },
    finish: () => ({
      stdout: stdout.finish(),
      stderr: stderr.finish(),
      durationMs: Math.round(performance.now() - startedAt),
    }),
  };
}

/** An error on a pipe ends it as well; what arrived until then is what there is. */
async function closed(stream: EventEmitter | null | undefined): Promise<void> {
  if (stream) await once(stream, "close").catch(() => []);
}

/** A program may end, or close its input, before it has read all: that is its own business, and no error here. */
export function feed(child: ChildProcess, stdin: Uint8Array | null): void {
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
}

export function neverStarted(outputBytes: number) {
  const empty = createOutputCollector(Math.min(outputBytes, 1)).finish();
  return { kind: "cancelled", stdout: empty, stderr: empty, durationMs: 0 } as const;
}
