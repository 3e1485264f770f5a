import { setTimeout as delay } from "node:timers/promises";
import type { Ending, Ledger } from "@airlock/core/ledger";

/** Ends that Redis has to take, however long it refuses: a full one, or one that is away. */
export interface SureEnd {
  /** As the ledger's. Throws only where the service stops first: the write-ahead log has the end then. */
  end(call: { readonly itemKey: string; readonly fence: number }, ending: Ending): Promise<boolean>;
  /** Null where nothing waits. */
  trouble(): string | null;
}

const AGAIN_MS = 200;
const AT_MOST_MS = 2_000;

export function createSureEnd(ledger: Ledger, signal: AbortSignal): SureEnd {
  const waiting = new Set<string>();
  return {
    async end({ itemKey, fence }, ending) {
      for (let wait = AGAIN_MS; ; wait = Math.min(wait * 2, AT_MOST_MS)) {
        try {
          const ended = await ledger.end(itemKey, fence, ending);
          waiting.delete(itemKey);
          return ended;
        } catch (error) {
          waiting.add(itemKey);
          if (signal.aborted) throw error;
        }
        await delay(wait, undefined, { signal });
      }
    },
    trouble: () => (waiting.size === 0 ? null : `Redis does not take the ends of ${waiting.size} calls`),
  };
}
