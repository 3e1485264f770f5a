import { queuePrefix } from "@airlock/core/queue";
import { globalKeys, type Redis } from "@airlock/core/store";

export interface QueueCount {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
}

/** What waits and what is worked on, per queue, and how many turns are open. The key names are BullMQ's. */
export async function countQueues(
  redis: Redis,
  queues: readonly string[],
): Promise<{ readonly queues: readonly QueueCount[]; readonly openTurns: number }> {
  const counts = await Promise.all(
    queues.map(async (queue) => {
      const base = `${queuePrefix(queue)}:${queue}`;
      const [wait, prioritized, delayed, active] = await Promise.all([
        redis.llen(`${base}:wait`),
        redis.zcard(`${base}:prioritized`),
        redis.zcard(`${base}:delayed`),
        redis.llen(`${base}:active`),
      ]);
      return { queue, waiting: wait + prioritized + delayed, active };
    }),
  );
  return { queues: counts, openTurns: await redis.zcard(globalKeys.open) };
}
