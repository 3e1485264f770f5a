/** Why a signal aborts whose run was cancelled: any other reason is the process' own. */
export const RUN_CANCELLED = "the run was cancelled";

/** Knows what this process does for which run, so that a cancelled run's work can be stopped. */
export interface CancelBoard {
  /** Does some work of a run under a signal that aborts with `signal`, or when the run is cancelled. */
  during<T>(run: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  cancel(run: string): void;
}

export function createCancelBoard(): CancelBoard {
  const working = new Map<string, Set<AbortController>>();
  return {
    async during(run, signal, work) {
      const controller = new AbortController();
      const abort = (): void => controller.abort(signal.reason);
      const others = working.get(run) ?? new Set();
      working.set(run, others.add(controller));
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      try {
        return await work(controller.signal);
      } finally {
        signal.removeEventListener("abort", abort);
        others.delete(controller);
        if (others.size === 0 && working.get(run) === others) working.delete(run);
      }
    },
    cancel(run) {
      for (const controller of working.get(run) ?? []) controller.abort(RUN_CANCELLED);
    },
  };
}
