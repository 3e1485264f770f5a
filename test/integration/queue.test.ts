import { once } from "node:events";
import { Queue, Worker } from "bullmq";
import {
  addressOf,
  consume,
  createCancelBoard,
  createPublisher,
  DONE,
  queuePrefix,
  sendCancel,
  watchCancels,
  type BodyOf,
  type ConsumeEvent,
  type Consumer,
  type Handled,
  type Message,
  type Publisher,
} from "@airlock/core/queue";
import { createKeyrings, newRunId, signRecord, type SignedRecord } from "@airlock/core/record";
import { connectRedis, globalKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { allKeys } from "../support/keys.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const keyrings = createKeyrings();
type Execution = BodyOf<"execution">;

let server: RedisServer;
let validator: Publisher;
let queue: Queue;
let events: ConsumeEvent[];
let consumers: Consumer[];
let waiting: (() => void)[];

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

beforeEach(async () => {
  await server.redis.flushall();
  events = [];
  waiting = [];
  consumers = [];
  validator = createPublisher({ redis: server.redis, keyring: keyrings.validator });
  queue = new Queue("executions.default", {
    connection: server.redis,
    prefix: queuePrefix("executions.default"),
  });
});
afterEach(closeAndCheckLeaks);

async function closeAndCheckLeaks(): Promise<void> {
  await Promise.all(consumers.map((consumer) => consumer.close(100)));
  await validator.close();
  expect(await jobKeys()).toEqual([]);
  await queue.close();
}

/** What is left of jobs: everything on the queue's prefix but its own bookkeeping. */
async function jobKeys(): Promise<readonly string[]> {
  const own = ["meta", "id", "events", "marker", "stalled-check", "pc"];
  return (await allKeys(server.redis)).filter((key) => {
    const name = key.split(":").at(-1) ?? "";
    return key.startsWith("{airlock:") && !own.includes(name);
  });
}

function body(change: Partial<Execution> = {}): Execution {
  const run = change.run ?? newRunId();
  return {
    version: 1,
    run,
    itemKey: `${run}.1.1.0`,
    grant: 1,
    tool: "write_file",
    manifestDigest: "0".repeat(64),
    effect: "mutating",
    argumentsDigest: "0".repeat(64),
    policy: "p",
    policyDigest: "0".repeat(64),
    workspace: { source: "/s", ref: "main" },
    pool: "default",
    expiresAt: 1,
    notAfter: 2,
    ...change,
  };
}

function sign(change: Partial<Execution> = {}): SignedRecord {
  return validator.sign({ purpose: "execution", body: body(change) });
}

function jobIdOf(record: SignedRecord): string {
  return addressOf({ purpose: "execution", body: JSON.parse(record.body) as Execution }).jobId;
}

function onEvent(event: ConsumeEvent): void {
  events.push(event);
  for (const wake of waiting) wake();
}

/** Waits until an event of the consumer fits. */
async function eventWhere(fits: (event: ConsumeEvent) => boolean): Promise<ConsumeEvent> {
  for (;;) {
    const found = events.find(fits);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

async function handled(count: number): Promise<void> {
  await eventWhere(() => events.filter(({ type }) => type === "handled").length >= count);
}

function start(
  handler: (body: Execution, signal: AbortSignal) => Promise<Handled>,
  lockMs = 30_000,
): Consumer {
  const consumer = consume(
    { redis: server.redis, keyring: keyrings.executor },
    {
      family: "executions",
      handlers: {
        execution: (delivery) => handler(delivery.body, delivery.signal),
        resolution: () => Promise.resolve(DONE),
        preview: () => Promise.resolve(DONE),
      },
    },
    { pool: "default", concurrency: 4, lockMs, stalledMs: 200, onEvent },
  );
  consumers.push(consumer);
  return consumer;
}

/** Collects what the handler was given. */
function collect(): { readonly seen: Execution[] } {
  const seen: Execution[] = [];
  start((given) => {
    seen.push(given);
    return Promise.resolve(DONE);
  });
  return { seen };
}

describe("a published record", () => {
  test("reaches its handler once, though it was published many times", async () => {
    const record = sign();
    await Promise.all(Array.from({ length: 5 }, () => validator.publish(record)));
    expect(await queue.getJobCountByTypes("waiting", "prioritized")).toBe(1);
    const { seen } = collect();
    await handled(1);
    expect(seen).toEqual([JSON.parse(record.body)]);
  });

  test("can be published again once it was handled: nothing of it is left", async () => {
    const record = sign();
    const { seen } = collect();
    await validator.publish(record);
    await handled(1);
    await expect.poll(() => jobKeys()).toEqual([]);
    await validator.publish(record, { priority: 10 });
    await handled(2);
    expect(seen).toHaveLength(2);
  });

  test("is not swallowed by an earlier twin that failed", async () => {
    const record = sign();
    const failing = new Worker(queue.name, () => Promise.reject(new Error("broken build")), {
      connection: server.redis.duplicate({ maxRetriesPerRequest: null }),
      prefix: queuePrefix(queue.name),
    });
    const failed = once(failing, "failed");
    await validator.publish(record);
    await failed;
    await failing.close();
    expect(await jobKeys()).toEqual([]);
    const { seen } = collect();
    await validator.publish(record);
    await handled(1);
    expect(seen).toHaveLength(1);
  });

  test("whose handler throws comes back, without the error's words, until it is handled", async () => {
    let calls = 0;
    start(() => {
      calls += 1;
      return calls < 3 ? Promise.reject(new Error("broken canary")) : Promise.resolve(DONE);
    });
    await validator.publish(sign());
    await eventWhere((event) => event.type === "handled" && calls === 3);
    expect(events.filter(({ type }) => type === "handler_failed")).toHaveLength(2);
  });

  test("that is put back waits its time", async () => {
    const times: number[] = [];
    start(() => {
      times.push(performance.now());
      return Promise.resolve(times.length === 1 ? { kind: "later", delayMs: 200 } : DONE);
    });
    await validator.publish(sign());
    await handled(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(190);
  });

  test("of a dead consumer is taken up by another", async () => {
    const record = sign();
    await validator.publish(record);
    const connection = server.redis.duplicate({ maxRetriesPerRequest: null });
    const dead = new Worker(queue.name, null, {
      connection,
      prefix: queuePrefix(queue.name),
      lockDuration: 300,
    });
    expect((await dead.getNextJob("token"))?.id).toBe(jobIdOf(record));
    const { seen } = collect();
    await handled(1);
    expect(seen).toEqual([JSON.parse(record.body)]);
    await dead.close(true);
    connection.disconnect();
  });
});

describe("a job is refused and removed, and its handler never called,", () => {
  const add = (record: unknown, jobId: string, options: object = {}) =>
    queue.add("execution", { record }, { jobId, removeOnComplete: true, removeOnFail: true, ...options });

  test.each<[string, () => Promise<unknown>]>([
    [
      "when it lies under another id",
      async () => {
        const run = newRunId();
        await add(sign({ run }), jobIdOf(sign({ run, grant: 2 })));
      },
    ],
    ["when it lies under another run's id", async () => add(sign(), jobIdOf(sign()))],
    [
      "when its body was edited",
      async () => {
        const record = sign();
        const edited = {
          ...record,
          body: record.body.replace('"tool":"write_file"', '"tool":"run_command"'),
        };
        expect(edited.body).not.toBe(record.body);
        await add(edited, jobIdOf(record));
      },
    ],
    [
      "when its signature was edited",
      async () => {
        const record = sign();
        const first = record.signature.startsWith("A") ? "B" : "A";
        await add({ ...record, signature: first + record.signature.slice(1) }, jobIdOf(record));
      },
    ],
    [
      "when it was signed for another purpose",
      async () => {
        const record = signRecord(keyrings.validator, "turn", JSON.stringify(body()));
        await add(record, "any.1");
        const relabelled = { ...record, purpose: "execution" };
        await add(relabelled, jobIdOf({ ...record, purpose: "execution" }));
      },
    ],
    [
      "when a role signed it that may not",
      async () => {
        for (const role of ["streamer", "executor", "client"] as const) {
          const impostor = { ...keyrings[role], role: "validator" as const };
          const record = signRecord(impostor, "execution", JSON.stringify(body()));
          await add(record, jobIdOf(record));
        }
      },
    ],
    [
      "when it belongs on another pool's queue",
      async () => {
        const record = sign({ pool: "gpu" });
        await add(record, jobIdOf(record));
      },
    ],
    [
      "when its body is signed and no grant",
      async () => {
        const record = signRecord(keyrings.validator, "execution", '{"version":1}');
        await add(record, "any.1");
      },
    ],
    [
      "when its body is signed and no JSON",
      async () => add(signRecord(keyrings.validator, "execution", "rm -rf"), "any.1"),
    ],
    ["when somebody added it by hand", async () => queue.add("run", { tool: "run_command", argv: ["rm"] })],
    ["when it holds nothing", async () => queue.add("execution", {})],
    ["when it holds a list", async () => queue.add("execution", [sign()])],
    ["when it holds a further field", async () => queue.add("execution", { record: sign(), note: 1 })],
    [
      "when it asks to be kept",
      async () =>
        queue.add(
          "execution",
          { record: 1 },
          { jobId: "any.1", removeOnComplete: false, removeOnFail: false, attempts: 5 },
        ),
    ],
  ])("%s", async (_, prepare) => {
    await prepare();
    const bad = await queue.getJobCountByTypes("waiting", "prioritized", "delayed");
    expect(bad).toBeGreaterThan(0);
    const { seen } = collect();
    await eventWhere(() => events.filter(({ type }) => type === "record_refused").length >= bad);
    // an honest job behind them shows that the queue goes on
    const honest = sign();
    await validator.publish(honest);
    await handled(1);
    expect(seen).toEqual([JSON.parse(honest.body)]);
    expect(events.filter(({ type }) => type === "handled")).toHaveLength(1);
  });

  test("and what took its id is published again afterwards", async () => {
    const record = sign();
    await queue.add("execution", { record: 1 }, { jobId: jobIdOf(record), removeOnComplete: false });
    const { seen } = collect();
    await eventWhere(({ type }) => type === "record_refused");
    await expect.poll(() => jobKeys()).toEqual([]);
    await validator.publish(record);
    await handled(1);
    expect(seen).toEqual([JSON.parse(record.body)]);
  });
});

// BullMQ itself can't read such a job: it stays, and comes back whenever its lock runs out.
test("a job whose data are no JSON runs nothing, and holds up no other", async () => {
  const record = sign();
  await validator.publish(record);
  await server.redis.hset(`${queuePrefix(queue.name)}:${queue.name}:${jobIdOf(record)}`, "data", "{garbage");
  const { seen } = collect();
  const honest = sign();
  await validator.publish(honest);
  await handled(1);
  expect(seen).toEqual([JSON.parse(honest.body)]);
  await queue.obliterate({ force: true });
});

describe("a publisher", () => {
  test("signs no message of another role", () => {
    const message: Message = { purpose: "execution", body: body() };
    for (const role of ["client", "streamer", "executor"] as const) {
      const other = createPublisher({ redis: server.redis, keyring: keyrings[role] });
      expect(() => other.sign(message)).toThrow(/can't sign a execution record/);
    }
  });

  test("refuses a body that its own schema refuses", () => {
    expect(() => sign({ grant: 0 })).toThrow(/grant/);
  });
});

describe("Redis killed and started again", () => {
  test("finds its consumers at work again, without a restart, and forgets no job", async () => {
    const { seen } = collect();
    await validator.publish(sign());
    await handled(1);
    expect(consumers[0]?.ready()).toBe(true);
    await server.kill();
    await expect.poll(() => consumers[0]?.ready(), { timeout: 5_000 }).toBe(false);
    const late = sign();
    const publishing = validator.publish(late);
    await server.start();
    await publishing;
    await handled(2);
    expect(seen.at(-1)).toEqual(JSON.parse(late.body));
    await expect.poll(() => consumers[0]?.ready(), { timeout: 5_000 }).toBe(true);
  });
});

test("a consumer whose own waiting connection is lost is not ready, though all others are", async () => {
  const user = "waiter";
  await server.redis.call("ACL", "SETUSER", user, "on", "nopass", "~*", "+@all");
  const { host } = new URL(server.url);
  const redis = connectRedis(`redis://${user}:x@${host}`, { name: "test", onState: () => undefined });
  const consumer = consume(
    { redis, keyring: keyrings.executor },
    {
      family: "executions",
      handlers: {
        execution: () => Promise.resolve(DONE),
        resolution: () => Promise.resolve(DONE),
        preview: () => Promise.resolve(DONE),
      },
    },
    { pool: "default", concurrency: 1, lockMs: 30_000, stalledMs: 30_000, onEvent: () => undefined },
  );
  consumers.push(consumer);
  const waiting = async (): Promise<readonly string[]> => {
    const clients = String(await server.redis.call("CLIENT", "LIST")).split("\n");
    const own = clients.filter((line) => line.includes(`user=${user}`) && line.includes("cmd=bzpopmin"));
    return own.flatMap((line) => /^id=(\d+)/.exec(line)?.[1] ?? []);
  };
  await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
  expect(consumer.ready()).toBe(true);
  // nobody of this user comes in again; who is in stays
  await server.redis.call("ACL", "SETUSER", user, "off");
  for (const id of await waiting()) await server.redis.call("CLIENT", "KILL", "ID", id);
  await expect.poll(() => consumer.ready(), { timeout: 10_000 }).toBe(false);
  expect(redis.status).toBe("ready");
  await server.redis.call("ACL", "SETUSER", user, "on");
  await expect.poll(() => consumer.ready(), { timeout: 20_000 }).toBe(true);
  await consumer.close(1_000);
  redis.disconnect();
});

describe("a cancel signal", () => {
  async function watch(): Promise<{
    readonly seen: string[];
    wait(run: string): Promise<number>;
    stop(): Promise<void>;
  }> {
    const seen: string[] = [];
    const stop = new AbortController();
    let wake: () => void = () => undefined;
    const watching = watchCancels({ redis: server.redis, signal: stop.signal }, (run) => {
      seen.push(run);
      wake();
    });
    // the watcher reads from where the stream ends once it is there: it is, when the server sees it block
    await expect.poll(async () => String(await server.redis.client("LIST"))).toMatch(/cmd=xread/);
    return {
      seen,
      async wait(run) {
        const started = performance.now();
        while (!seen.includes(run)) await new Promise<void>((resolve) => (wake = resolve));
        return performance.now() - started;
      },
      async stop() {
        stop.abort();
        await watching;
      },
    };
  }

  // a busy machine may hold back any process for longer: one of the tries has to keep to it
  test("reaches a watcher within 100 ms", { retry: 3 }, async () => {
    const watcher = await watch();
    const took: number[] = [];
    for (let at = 0; at < 10; at += 1) {
      const run = newRunId();
      const arrived = watcher.wait(run);
      await sendCancel(server.redis, run);
      took.push(await arrived);
    }
    await watcher.stop();
    expect(Math.max(...took)).toBeLessThan(100);
  });

  test("of the time before the watcher came is not for it", async () => {
    await sendCancel(server.redis, newRunId());
    const watcher = await watch();
    const run = newRunId();
    const arrived = watcher.wait(run);
    await sendCancel(server.redis, run);
    await arrived;
    await watcher.stop();
    expect(watcher.seen).toEqual([run]);
  });

  test("that was sent while Redis went down and came back is not missed", async () => {
    const watcher = await watch();
    await server.kill();
    await server.start();
    const run = newRunId();
    const arrived = watcher.wait(run);
    await sendCancel(server.redis, run);
    await arrived;
    await watcher.stop();
    expect(watcher.seen).toEqual([run]);
    expect(await server.redis.xlen(globalKeys.control)).toBeGreaterThan(0);
  });

  test("with other words in it is passed over", async () => {
    const watcher = await watch();
    await server.redis.xadd(globalKeys.control, "*", "kill", "all");
    const run = newRunId();
    const arrived = watcher.wait(run);
    await sendCancel(server.redis, run);
    await arrived;
    await watcher.stop();
    expect(watcher.seen).toEqual([run]);
  });

  test("stops the work of its run, and of no other", async () => {
    const board = createCancelBoard();
    const never = new AbortController().signal;
    const aborted = (run: string): Promise<string> =>
      board.during(run, never, (signal) => once(signal, "abort").then(() => run));
    const works = [aborted("a"), aborted("a"), aborted("b")];
    board.cancel("a");
    expect(await Promise.all(works.slice(0, 2))).toEqual(["a", "a"]);
    board.cancel("none");
    board.cancel("b");
    expect(await works[2]).toBe("b");
  });
});
