/** Aborts `first` at the first SIGINT, SIGTERM or SIGHUP, and `second` at the next one. */
export function watchInterrupts(): {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
  stop(): void;
} {
  const first = new AbortController();
  const second = new AbortController();
  const onSignal = (): void => (first.signal.aborted ? second : first).abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    first: first.signal,
    second: second.signal,
    stop: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
