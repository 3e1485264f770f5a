import { actionRecordSchema, type ActionAnswer } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";

const answered = actionRecordSchema.pick({ id: true, answer: true });
const BLOCK_MS = 1_000;

/** A place in the audit from which an answer can be waited for: taken before the command is sent. */
export async function endOfAudit(redis: Redis): Promise<string> {
  const [newest] = await redis.xrevrange(globalKeys.audit, "+", "-", "COUNT", 1);
  return newest?.[0] ?? "0-0";
}

/** What came of a command, or null where no validator has told of it in time. */
export async function awaitAnswer(
  redis: Redis,
  { id, after, timeoutMs }: { readonly id: string; readonly after: string; readonly timeoutMs: number },
): Promise<ActionAnswer | null> {
  const blocking = redis.duplicate();
  blocking.on("error", () => undefined); // the shared connection reports the outage
  const deadline = performance.now() + timeoutMs;
  let last = after;
  try {
    while (performance.now() < deadline) {
      const entries = await redis.xrange(globalKeys.audit, `(${last}`, "+");
      const actions = entries.flatMap(([, [name, text = ""]]) =>
        name === "action" ? [answered.parse(JSON.parse(text))] : [],
      );
      const found = actions.find((action) => action.id === id);
      if (found !== undefined) return found.answer;
      last = entries.at(-1)?.[0] ?? last;
      // only to be woken: what is new is read above, in one form for every protocol version
      if (entries.length === 0) {
        await blocking.xread("BLOCK", BLOCK_MS, "STREAMS", globalKeys.audit, last).catch(() => undefined);
      }
    }
    return null;
  } finally {
    blocking.disconnect();
  }
}
