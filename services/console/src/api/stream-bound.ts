import { ApiRefusal } from "./problem.ts";

/** Each open stream holds a connection to Redis. */
const MOST = { all: 200, each: 20 } as const;

export interface StreamBound {
  /** Aborting it gives its place back. Throws where there are too many, of this name or in all. */
  readonly open: (name: string) => AbortController;
  readonly closeAll: () => void;
}

export function createStreamBound(): StreamBound {
  const streams = new Map<AbortController, string>();
  return {
    open(name) {
      const own = [...streams.values()].filter((each) => each === name).length;
      if (streams.size >= MOST.all || own >= MOST.each) throw new ApiRefusal("STREAMS_FULL");
      const controller = new AbortController();
      streams.set(controller, name);
      controller.signal.addEventListener("abort", () => streams.delete(controller), { once: true });
      return controller;
    },
    closeAll() {
      for (const each of streams.keys()) each.abort();
    },
  };
}
