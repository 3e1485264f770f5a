// Work under a name in, its one result out to all who ask for it meanwhile; it is aborted once nobody waits for it any more.

/** Rejects where the work does, and at once where `signal` aborts, but for the last one: that one sees the work's end. */
export type SharedWork<Value> = (
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value>;

interface Going<Value> {
  readonly done: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
}

export function createSharedWork<Value>(): SharedWork<Value> {
  const going = new Map<string, Going<Value>>();
  function forget(name: string, shared: Going<Value>): void {
    if (going.get(name) === shared) going.delete(name);
  }
  function begin(name: string, work: (signal: AbortSignal) => Promise<Value>): Going<Value> {
    const stop = new AbortController();
    const shared = { done: work(stop.signal), stop, waiting: 0 };
    going.set(name, shared);
    const over = (): void => forget(name, shared);
    shared.done.then(over, over);
    return shared;
  }
  return async (name, signal, work) => {
    signal.throwIfAborted();
    const shared = going.get(name) ?? begin(name, work);
    shared.waiting += 1;
    const over = new AbortController();
    const left = new Promise<never>((_, reject) => {
      const leave = (): void => {
        shared.waiting -= 1;
        if (shared.waiting > 0) return reject(new Error("the wait was ended", { cause: signal.reason }));
        forget(name, shared); // whoever asks now begins anew
        shared.stop.abort(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true, signal: over.signal });
    });
    try {
      return await Promise.race([shared.done, left]);
    } finally {
      over.abort();
    }
  };
}
