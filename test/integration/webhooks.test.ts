import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { sendNotice } from "@airlock/core/queue";
import { createKeyrings, newRunId } from "@airlock/core/record";
import { createRouteBreaker } from "@airlock/core/run";
import { createMetrics, type LogFields } from "@airlock/core/runtime";
import { globalKeys, redisNow, runKeys } from "@airlock/core/store";
import { listApprovals } from "@airlock/operator/document";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDeliveries } from "../../services/console/src/notify/deliveries.ts";
import { tellExpiring } from "../../services/console/src/notify/expiring.ts";
import { startNotifier } from "../../services/console/src/notify/index.ts";
import { commandsOf } from "../support/command-counts.ts";
import { openParkedCalls } from "../support/parked-calls.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { ROOT } from "../support/root.ts";
import { seedRun } from "../support/seeded-run.ts";
import { createTestValidator } from "../support/test-validator.ts";
import { answering, startReceiver, type Receiver } from "../support/webhook-receiver.ts";

type NotifyDeps = Parameters<typeof startNotifier>[0];

const SECRET = "s3cret".repeat(8);
const RUN = newRunId();
const ORIGIN = "https://airlock.example";
const AT_ONCE = 4;
const PACE = { tickMs: 10, leaseMs: 500, expiringMs: 20, lockMs: 1_000 };
const PATIENT = { timeout: 30_000, interval: 20 };
const ENDED = { type: "run_ended", run: RUN, state: "completed", errorClass: null } as const;

let server: RedisServer;
let folder: string;
let receiver: Receiver;
let running: (() => Promise<void>)[];

beforeAll(async () => {
  server = await startRedis();
  folder = await mkdtemp(path.join(tmpdir(), "airlock-webhooks-"));
  await writeFile(path.join(folder, "secret"), SECRET, { mode: 0o600 });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await server.redis.flushall();
  // as after a first start: what is told from now on is passed on
  await server.redis.hset(globalKeys.consoleFeed, "place", "0-0");
  receiver = await startReceiver();
  running = [];
});
afterEach(async () => {
  for (const stop of running.toReversed()) await stop();
  await receiver.close();
});

interface Notifier {
  readonly log: readonly { readonly event: string; readonly fields: LogFields }[];
  metric(result: string, webhook?: string): Promise<number>;
  stop(): Promise<void>;
}

function hook(changed: Partial<NotifyDeps["webhooks"][number]> = {}): NotifyDeps["webhooks"][number] {
  const url = `${receiver.url}/hook/path-secret`;
  return { name: "chat", url, secret: SECRET, events: ["run_ended"], labels: {}, ...changed };
}

function notify(
  webhooks: NotifyDeps["webhooks"] = [hook()],
  config: Partial<NotifyDeps["config"]> = {},
  keyring = createKeyrings().console,
): Notifier {
  const log: { event: string; fields: LogFields }[] = [];
  const metrics = createMetrics("console");
  const stop = new AbortController();
  const ended = startNotifier(
    {
      redis: server.redis,
      access: { redis: server.redis, keyring },
      log: {
        write: (_level, event, fields = {}) => void log.push({ event, fields }),
        decision: () => undefined,
      },
      metrics,
      config: {
        webhookTimeoutMs: 300,
        webhookAttempts: 4,
        webhookRetryMs: 20,
        approvalWarnPart: 0.2,
        ...config,
      },
      webhooks,
      origin: ORIGIN,
    },
    stop.signal,
    PACE,
  );
  const notifier: Notifier = {
    log,
    async metric(result, webhook = "chat") {
      const line = (await metrics.text())
        .split("\n")
        .find((each) => each.includes(`webhook="${webhook}",result="${result}"`));
      return Number(line?.split(" ").at(-1) ?? 0);
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
  running.push(() => notifier.stop());
  return notifier;
}

const tellEnd = (labels: Readonly<Record<string, string>> = {}): Promise<void> =>
  sendNotice(server.redis, { ...ENDED, labels });

const ids = (of: Receiver = receiver): readonly string[] => of.bodies().map(({ id }) => String(id));

/** A program of this repository, with what it says first; killed with the test. */
async function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(() => kill(child));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

describe("a webhook", () => {
  test("is told of a run's end with a link, signed, and of nothing that it did not ask for", async () => {
    const notifier = notify();
    await sendNotice(server.redis, { type: "route_suspended", route: "gateway" });
    await tellEnd({ team: "blue" });
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    const [[id] = [""]] = await server.redis.xrevrange(globalKeys.feed, "+", "-", "COUNT", 1);
    const at = new Date(Number(id.split("-")[0])).toISOString();
    expect(receiver.bodies()).toEqual([
      { id, at, link: `${ORIGIN}/runs/${RUN}`, ...ENDED, labels: { team: "blue" } },
    ]);
    expect(receiver.received[0]).toMatchObject({
      path: "/hook/path-secret",
      headers: { "content-type": "application/json", "airlock-delivery": id },
    });
  });

  test("with labels hears of runs that have them all, and of nothing that has no run", async () => {
    notify([hook({ labels: { team: "blue" }, events: ["run_ended", "route_suspended"] })]);
    await sendNotice(server.redis, { type: "route_suspended", route: "gateway" });
    await tellEnd({ team: "red" });
    await tellEnd({ team: "blue", pull_request: "4" });
    await expect.poll(() => receiver.bodies(), PATIENT).toMatchObject([{ labels: { pull_request: "4" } }]);
  });

  test("that fails is asked again, with the same id and text, until it takes the message", async () => {
    receiver.behave((response, attempt) => answering([503, 429, 408][attempt - 1] ?? 200)(response, attempt));
    const notifier = notify();
    await tellEnd();
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    expect(await notifier.metric("failed")).toBe(3);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  test("that says when to come again is left alone until then", async () => {
    const at: number[] = [];
    receiver.behave((response, attempt) => {
      at.push(performance.now());
      answering(attempt === 1 ? 429 : 204, { "retry-after": "1" })(response, attempt);
    });
    const notifier = notify();
    await tellEnd();
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(900);
  });

  test("is not told of what is older than a day, however long its queue stood still", async () => {
    const webhook = hook();
    const { redis } = server;
    const config = { webhookTimeoutMs: 300, webhookAttempts: 4, webhookRetryMs: 20, approvalWarnPart: 0 };
    const deliveries = createDeliveries({ redis, webhooks: [webhook], config });
    const at = new Date((await redisNow(redis)) - 25 * 3_600_000).toISOString();
    await deliveries.add([{ id: "1-0", at, labels: {}, notice: { ...ENDED, labels: {} } }]);
    await deliveries.close();
    const notifier = notify([webhook]);
    await expect.poll(() => notifier.metric("dead"), PATIENT).toBe(1);
    expect(receiver.received).toEqual([]);
    expect(notifier.log).toMatchObject([{ event: "webhook_dead", fields: { count: 0 } }]);
  });

  test.each([
    ["a redirect", answering(307, { location: "/elsewhere" }), 307],
    ["an error of the request's own", answering(404), 404],
  ])("that answers %s is asked once, and not followed", async (_what, behaviour, status) => {
    receiver.behave(behaviour);
    const notifier = notify();
    await tellEnd();
    await expect.poll(() => notifier.metric("dead"), PATIENT).toBe(1);
    expect(receiver.received.map(({ path: asked }) => asked)).toEqual(["/hook/path-secret"]);
    expect(notifier.log).toMatchObject([
      { event: "webhook_dead", fields: { place: new URL(receiver.url).host, count: 1, status } },
    ]);
  });

  test.each([
    ["hangs", () => undefined],
    [
      "closes the connection",
      (response: Parameters<Parameters<Receiver["behave"]>[0]>[0]) => void response.destroy(),
    ],
    ["fails", answering(500)],
  ])(
    "that always %s is given up after a bounded number of attempts, named by its host alone",
    async (_what, behaviour) => {
      receiver.behave(behaviour);
      const notifier = notify();
      await tellEnd();
      await expect.poll(() => notifier.metric("dead"), PATIENT).toBe(1);
      expect(receiver.received).toHaveLength(4);
      const told = JSON.stringify(notifier.log);
      expect(told).toContain(new URL(receiver.url).host);
      expect(told).not.toMatch(/path-secret|s3cret/);
      // nor does what lies in Redis hold an address or a secret
      const jobs = await server.redis.keys("{airlock:notifications}:*");
      const hashes = await Promise.all(
        jobs.map(async (key) =>
          (await server.redis.type(key)) === "hash" ? await server.redis.hgetall(key) : {},
        ),
      );
      expect(JSON.stringify(hashes)).toContain("run_ended");
      expect(JSON.stringify(hashes)).not.toMatch(/path-secret|s3cret/);
    },
  );

  test.each([
    ["hangs in the middle of it", (chunk: () => boolean) => void chunk()],
    [
      "never ends it",
      (chunk: () => boolean) => {
        const more = (): void => {
          while (chunk());
          setImmediate(more);
        };
        more();
      },
    ],
  ])("that takes the message and %s has taken it, and is not read on", async (_what, answer) => {
    let written = 0;
    let closed = false;
    receiver.behave((response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200);
      answer(() => {
        if (response.destroyed || closed) return false;
        written += 65_536;
        return response.write(Buffer.alloc(65_536)) && written < 64 * 1_048_576;
      });
    });
    const notifier = notify();
    await tellEnd();
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    await expect.poll(() => closed, PATIENT).toBe(true);
    expect(written).toBeLessThan(32 * 1_048_576);
    expect(receiver.received).toHaveLength(1);
  });

  test("that hangs does not hold up another one", async () => {
    const slow = await startReceiver(() => undefined);
    try {
      const notifier = notify([hook({ name: "slow", url: slow.url }), hook()], {
        webhookTimeoutMs: 20_000,
        webhookAttempts: 1,
      });
      for (let at = 0; at < 40; at += 1) await tellEnd({ at: String(at) });
      await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(40);
      expect(slow.received).toHaveLength(AT_ONCE);
    } finally {
      await slow.close();
    }
  });
});

describe("a question whose time runs out", () => {
  test.each([
    [1, 1],
    [0.0001, 0],
    [0, 0],
  ])("is told of once where %d of its time may be left: %d times", async (approvalWarnPart, times) => {
    const route = { name: "gateway", family: "responses" } as const;
    const patient = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
    const breaker = createRouteBreaker(server.redis, patient);
    const validator = createTestValidator(server.redis, route, breaker, { approvalMs: 600_000 });
    const parked = openParkedCalls(server.redis, validator);
    try {
      const [itemKey] = await parked.open();
      const events = ["approval_requested", "approval_expiring", "run_ended"] as const;
      const notifier = notify([hook({ events })], { approvalWarnPart }, validator.keyrings.console);
      // the end of a run comes behind: whatever is told of the question has been told by then
      await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1 + times);
      await tellEnd();
      await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(2 + times);
      const told = receiver.bodies().filter(({ type }) => type === "approval_expiring");
      const link = `${ORIGIN}/approvals/${itemKey}`;
      expect(told).toEqual(
        times === 0
          ? []
          : [expect.objectContaining({ id: `${itemKey}.1.expiring`, itemKey, link, risk: "high" })],
      );
      expect(receiver.received.map(({ text }) => text).join()).not.toMatch(/src\/0\.js|arguments|content":/);
    } finally {
      await parked.close();
      await validator.close();
    }
  });
});

describe("questions of which there are many", () => {
  test("are read whole only once their end is near and nobody was told, and told of once each", async () => {
    const keyrings = createKeyrings();
    const { redis } = server;
    // asked half a minute ago
    const call = { tool: "run_command", state: "AWAITING_APPROVAL" } as const;
    const far = Array.from({ length: 100 }, () => ({ ...call, expiresInMs: 600_000 }));
    const near = Array.from({ length: 3 }, () => ({ ...call, expiresInMs: 20_000 }));
    const { run, itemKeys } = await seedRun({ redis, keyrings }, { turns: [[...far, ...near]] });
    const due = (itemKeys[0] ?? []).slice(100);
    for (const item of due) await redis.hset(runKeys(run).call(item), { parkedAt: Date.now() - 30_000 });
    const told: string[] = [];
    const deliveries = {
      add: async (events: readonly { readonly id: string }[]) =>
        void told.push(...events.map(({ id }) => id)),
      close: async () => undefined,
    };
    const access = { redis, keyring: keyrings.console };
    const config = { approvalWarnPart: 0.5, webhookTimeoutMs: 1, webhookAttempts: 1, webhookRetryMs: 1 };
    const tell = () => commandsOf(redis, () => tellExpiring({ redis, access, config }, deliveries));
    expect((await tell()).get("hgetall")).toBe(3);
    expect(told.toSorted()).toEqual(due.map((item) => `${item}.1.expiring`).toSorted());
    expect((await tell()).get("hgetall")).toBeUndefined();
    expect(told).toHaveLength(3);
  });
});

describe("the feed", () => {
  test("is followed by one console at a time, and by another once that one stops", async () => {
    const first = notify();
    const second = notify();
    for (let at = 0; at < 50; at += 1) await tellEnd({ at: String(at) });
    await expect.poll(() => receiver.received.length, PATIENT).toBe(50);
    await first.stop();
    await tellEnd({ at: "last" });
    await expect.poll(() => receiver.received.length, PATIENT).toBe(51);
    expect(new Set(ids()).size).toBe(51);
    await second.stop();
  });

  test("is told from its newest entry on at the first start ever", async () => {
    await server.redis.del(globalKeys.consoleFeed);
    await tellEnd({ at: "before" });
    notify();
    await expect.poll(() => server.redis.hget(globalKeys.consoleFeed, "place"), PATIENT).not.toBeNull();
    await tellEnd({ at: "after" });
    await expect.poll(() => receiver.bodies(), PATIENT).toMatchObject([{ labels: { at: "after" } }]);
  });

  const late = { run: RUN, itemKey: `${RUN}.1.1.0`, tool: "bash", risk: "low" };
  test.each([
    ["no JSON", ["n", "{"]],
    ["without a field", ["n", "null"]],
    [
      "of a time that no calendar has",
      ["n", JSON.stringify({ type: "approval_requested", ...late, expiresAt: 9e15 })],
    ],
  ])("passes on what comes behind an entry that is %s, and tells of the gap", async (_what, fields) => {
    const notifier = notify([hook({ events: ["run_ended", "approval_requested"] })]);
    const id = await server.redis.xadd(globalKeys.feed, "*", ...fields);
    await tellEnd();
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    expect(receiver.bodies()).toMatchObject([{ type: "run_ended" }]);
    expect(notifier.log).toEqual([{ event: "notices_missed", fields: { place: id } }]);
  });

  test("tells of a call whose run's record can't be read, and is not stopped by a question that can't", async () => {
    const itemKey = `${RUN}.1.1.0`;
    await server.redis.hset(runKeys(RUN).run, "state", "no such state");
    await server.redis.hset(runKeys(RUN).call(itemKey), "state", "no such state");
    await server.redis.zadd(globalKeys.approvals, String((await redisNow(server.redis)) + 60_000), itemKey);
    const notifier = notify([hook({ events: ["outcome_unknown"] })]);
    await sendNotice(server.redis, { type: "outcome_unknown", run: RUN, itemKey, tool: "bash" });
    await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
    // nor is the list of what waits
    expect(await listApprovals({ redis: server.redis, keyring: createKeyrings().console })).toEqual([]);
  });

  test("is read again after a crash between the jobs and the place, and nothing is told twice", async () => {
    const first = notify();
    for (let at = 0; at < 20; at += 1) await tellEnd({ at: String(at) });
    await expect.poll(() => first.metric("delivered"), PATIENT).toBe(20);
    await first.stop();
    await server.redis.hset(globalKeys.consoleFeed, "place", "0-0");
    const second = notify();
    await tellEnd({ at: "last" });
    await expect.poll(() => second.metric("delivered"), PATIENT).toBe(1);
    expect(ids()).toHaveLength(21);
    expect(new Set(ids()).size).toBe(21);
  });

  test("loses nothing when the console that follows it is killed: the lease is taken over, and only what was being sent may come twice", async () => {
    const webhooks = path.join(folder, "webhooks.yaml");
    const text = `webhooks: [{ name: chat, url: "${receiver.url}", secretFile: secret, events: [run_ended] }]`;
    await writeFile(webhooks, text, { mode: 0o600 });
    const given = JSON.stringify({ redis: server.url, webhooks, leaseMs: 2_000 });
    const start = () =>
      run(["--conditions=source", "--import", "tsx", "test/support/notifier-process.ts", given]);
    const processes = await Promise.all([start(), start()]);
    await tellEnd({ at: "0" });
    await expect.poll(() => receiver.received.length, PATIENT).toBe(1);
    // the lease has the name of its holder's process
    const leader = await server.redis.hget(globalKeys.consoleFeed, "leader");
    for (let at = 1; at < 400; at += 1) await tellEnd({ at: String(at) });
    const leading = processes.find(({ child }) => leader?.startsWith(`${child.pid}.`) === true);
    if (leading === undefined) throw new Error(`nobody is ${leader}`);
    await kill(leading.child);
    for (let at = 400; at < 500; at += 1) await tellEnd({ at: String(at) });
    await expect.poll(() => new Set(ids()).size, PATIENT).toBe(500);
    expect(await server.redis.hget(globalKeys.consoleFeed, "leader")).not.toBe(leader);
    expect(ids().length).toBeLessThanOrEqual(500 + AT_ONCE);
  });
});

describe("the documented receiver", () => {
  const post = (port: string, text: string, headers: Readonly<Record<string, string>>) =>
    fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: text, headers }).then(({ status }) => status);

  test.each([
    [
      "chat-receiver.mjs",
      { path: "/", body: { text: `run ${RUN} ended: completed\n${ORIGIN}/runs/${RUN}` } },
    ],
    [
      "pull-request-receiver.mjs",
      {
        path: "/repos/owner/name/issues/42/comments",
        body: { body: `The run ended: completed. [Details](${ORIGIN}/runs/${RUN})` },
      },
    ],
  ])("%s takes what is signed, once, and refuses what is edited, old or unsigned", async (file, expected) => {
    const room = await startReceiver();
    try {
      const secret = path.join(folder, "secret");
      const { line } = await run([`docs/examples/${file}`], {
        SECRET_FILE: secret,
        TOKEN_FILE: secret,
        CHAT_URL: room.url,
        API_URL: room.url,
      });
      const port = line.split(" ").at(-1) ?? "";
      const taps = [hook({ name: "tap" }), hook({ url: `http://127.0.0.1:${port}/` })];
      const notifier = notify(taps, { webhookTimeoutMs: 10_000 });
      await tellEnd({ repository: "owner/name", pull_request: "42" });
      await expect.poll(() => notifier.metric("delivered"), PATIENT).toBe(1);
      await expect.poll(() => notifier.metric("delivered", "tap"), PATIENT).toBe(1);
      const { text = "", headers = {} } = receiver.received[0] ?? {};
      const signed = {
        "airlock-timestamp": String((headers as Record<string, unknown>)["airlock-timestamp"]),
        "airlock-signature": String((headers as Record<string, unknown>)["airlock-signature"]),
      };
      const old = { ...signed, "airlock-timestamp": "1700000000" };
      expect([
        await post(port, text, signed),
        await post(port, text.replace("completed", "failed"), signed),
        await post(port, text, old),
        await post(port, text, {}),
        await post(port, "x".repeat(100_000), signed),
      ]).toEqual([204, 401, 401, 401, 401]);
      expect(
        room.received.map(({ path: asked, text }) => ({ path: asked, body: JSON.parse(text) as unknown })),
      ).toEqual([expected]);
    } finally {
      await room.close();
    }
  });
});
