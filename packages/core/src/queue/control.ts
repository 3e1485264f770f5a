import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { globalKeys, type Redis } from "../store/index.ts";

const SIGNALS_KEPT = 1_000;
const BLOCK_MS = 5_000;

/** Tells every process that a run was cancelled. The run's flag is the truth; this only wakes them up. */
export async function sendCancel(redis: Redis, run: string): Promise<void> {
  await redis.xadd(globalKeys.control, "MAXLEN", "~", SIGNALS_KEPT, "*", "cancel", run);
}

/** Tells every process that a run ended: the executors look after its workspace. They look from time to time anyway. */
export async function sendEnded(redis: Redis, run: string): Promise<void> {
  await redis.xadd(globalKeys.control, "MAXLEN", "~", SIGNALS_KEPT, "*", "ended", run);
}

/** What a process does about each kind of signal; a kind that is left out passes by. */
export interface SignalHandlers {
  readonly cancel?: (run: string) => void;
  readonly ended?: (run: string) => void;
}

const reply = z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.array(z.string())]))]));

export function watchCancels(
  deps: { readonly redis: Redis; readonly signal: AbortSignal },
  onCancel: (run: string) => void,
): Promise<void> {
  return watchSignals(deps, { cancel: onCancel });
}

/**
 * Calls the handler of every signal from now on, until `signal` aborts. Reads with a connection of its own,
 * goes on where it was after an outage, and never rejects.
 */
export async function watchSignals(
  deps: { readonly redis: Redis; readonly signal: AbortSignal },
  handlers: SignalHandlers,
): Promise<void> {
  const connection = deps.redis.duplicate();
  connection.on("error", () => undefined); // the shared connection reports the outage
  deps.signal.addEventListener("abort", () => connection.disconnect(), { once: true });
  let last: string | null = null;
  while (!deps.signal.aborted) {
    try {
      last ??= await endOf(connection);
      const answer: unknown = await connection.xread("BLOCK", BLOCK_MS, "STREAMS", globalKeys.control, last);
      const entries = entriesOf(answer);
      last = entries.at(-1)?.[0] ?? last;
      for (const [, fields] of entries) handle(handlers, fields);
    } catch {
      // the connection is down or closing: nothing can be lost that the run's flag doesn't say as well
      await sleep(200, undefined, { signal: deps.signal }).catch(() => undefined);
    }
  }
}

/** A place of our own in the stream: with `$` each read would begin anew and miss what came between two of them. */
async function endOf(connection: Redis): Promise<string> {
  const [newest] = await connection.xrevrange(globalKeys.control, "+", "-", "COUNT", 1);
  return newest?.[0] ?? "0-0";
}

function handle(handlers: SignalHandlers, [kind, run]: readonly string[]): void {
  if (run !== undefined && (kind === "cancel" || kind === "ended")) handlers[kind]?.(run);
}

function entriesOf(answer: unknown): readonly (readonly [string, readonly string[]])[] {
  if (answer === null || answer === undefined) return [];
  // RESP3 answers with a map, RESP2 with a list of pairs
  const pairs = Array.isArray(answer) || typeof answer !== "object" ? answer : Object.entries(answer);
  return reply.parse(pairs).flatMap(([, entries]) => entries);
}
