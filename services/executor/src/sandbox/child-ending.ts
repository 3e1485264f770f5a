import type { ChildProcess } from "node:child_process";

/** The first thing that ends a started program: its own exit, a failed start, or one of the executor's reasons to stop it. */
export type ChildEnding =
  | { readonly kind: "exit"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "start_failed"; readonly reason: string }
  | { readonly kind: "stopped"; readonly stop: Stop };

export interface Stop {
  readonly kind: "timeout" | "cancelled" | "output_limit";
  readonly seenDead: Promise<boolean>;
}

export interface ChildLimits {
  readonly timeoutMs: number;
  /** Of both streams together, beyond which the program is killed. */
  readonly maxOutputBytes: number;
  readonly outputBytes: () => number;
  /** Kills all that the program started; false: not seen dead. */
  readonly kill: () => Promise<boolean>;
}

export function firstEnding(
  child: ChildProcess,
  limits: ChildLimits,
  signal: AbortSignal,
): Promise<ChildEnding> {
  return new Promise((resolve) => {
    let stop: Stop | null = null;
    let exited = false;
    const stopFor = (kind: Stop["kind"]): void => {
      if (stop !== null || exited) return;
      const seenDead = limits.kill();
      const stopping: Stop = { kind, seenDead };
      stop = stopping;
      // Settles even if the exit is never reported, which would mean a tree that can't be killed.
      void seenDead.then(() => resolve({ kind: "stopped", stop: stopping }));
    };
    const timer = setTimeout(() => stopFor("timeout"), limits.timeoutMs);
    const onAbort = (): void => stopFor("cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    const cleanUp = (): void => {
      exited = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const onData = (): void => {
      if (limits.outputBytes() > limits.maxOutputBytes) stopFor("output_limit");
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.once("error", (error) => {
      cleanUp();
      resolve({ kind: "start_failed", reason: error.message });
    });
    child.once("exit", (code, by) => {
      cleanUp();
      if (stop === null) resolve({ kind: "exit", code, signal: by });
    });
  });
}
