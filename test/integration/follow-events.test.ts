import { newRunId } from "@airlock/core/record";
import { eventText, runKeys, type Redis } from "@airlock/core/store";
import { followEvents, followPlaced } from "@airlock/operator/follow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const NEVER = new AbortController().signal;

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({ appendfsync: "everysec" });
});
afterAll(() => server.close());

/** As the validator's script does: both at once. */
async function endRun(run: string): Promise<void> {
  const [event = ""]: readonly string[] = JSON.parse(
    eventText([{ type: "run_ended", state: "cancelled", errorClass: null }]),
  );
  await server.redis
    .multi()
    .hset(runKeys(run).run, "endedAt", "1")
    .xadd(runKeys(run).events, "*", "e", event)
    .exec();
}

/** The same connection, on which the run ends just before or just behind each command of a name. */
function endingAt(run: string, command: string, moment: "before" | "behind"): Redis {
  return new Proxy(server.redis, {
    get(redis, name) {
      const member: unknown = Reflect.get(redis, name, redis);
      if (typeof member !== "function") return member;
      const call = (...words: readonly unknown[]): unknown => Reflect.apply(member, redis, words);
      if (name !== command) return call;
      return async (...words: readonly unknown[]): Promise<unknown> => {
        if (moment === "before") await endRun(run);
        const reply = await call(...words);
        if (moment === "behind") await endRun(run);
        return reply;
      };
    },
  });
}

test.each([
  ["xrange", "before"],
  ["xrange", "behind"],
  ["hexists", "before"],
  ["hexists", "behind"],
] as const)("a run that ends around %s, %s it, is followed to its end", async (command, moment) => {
  const run = newRunId();
  const types: string[] = [];
  for await (const { event } of followEvents(endingAt(run, command, moment), run, NEVER))
    types.push(event.type);
  expect(types).toEqual(["run_ended"]);
});

test("behind the end of a run there is nothing to wait for", async () => {
  const run = newRunId();
  await endRun(run);
  const [last] = await server.redis.xrevrange(runKeys(run).events, "+", "-", "COUNT", 1);
  const after = last?.[0] ?? null;
  const events: string[] = [];
  for await (const { event } of followPlaced(server.redis, run, { after, signal: NEVER }))
    events.push(event.type);
  expect(events).toEqual([]);
});
