import { commandBodySchema, type ActionBody, type CommandBody } from "@airlock/core/contract";
import { itemKey, newRunId, signRecord, turnKey } from "@airlock/core/record";
import {
  actionRecordSchema,
  createRouteBreaker,
  createStreamerStore,
  readActions,
  readRun,
  readTurn,
  type ActionAnswer,
  type ActionRecord,
} from "@airlock/core/run";
import { globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { INDETERMINATE } from "@airlock/core/wire";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { watchExpiry, type ExpiryWatch } from "../support/expiry.ts";
import { runFamilies } from "../support/keys.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const CUT = { outcome: INDETERMINATE, errorClass: "STREAM_TRUNCATED" } as const;
const never = new AbortController().signal;

let server: RedisServer;
let expiry: ExpiryWatch;
let validator: TestValidator;
let run: string;

beforeAll(async () => {
  server = await startRedis();
  expiry = await watchExpiry(server.redis);
  const patient = { mismatches: 1_000, windowMs: 1_000, openMs: 1_000, probeMs: 1_000 };
  const breaker = createRouteBreaker(server.redis, patient);
  validator = createTestValidator(server.redis, { name: "r", family: "responses" }, breaker);
});
afterAll(async () => {
  await validator.close();
  expiry.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  run = await validator.submit({ limits: { attempts: 1 } });
});

/** Ends the run as one that a person has to look at. */
async function escalate(attempt = 1): Promise<void> {
  await validator.respond({ run, attempt, ...CUT });
  expect(await readRun(server.redis, run)).toMatchObject({
    state: "escalated",
    errorClass: "ATTEMPTS_EXHAUSTED",
  });
}

type Change = Partial<Omit<ActionBody, "kind">> & { readonly raise?: Readonly<Record<string, number>> };

function action(kind: ActionBody["kind"], change: Change = {}): ActionBody {
  return commandBodySchema.parse({
    version: 1,
    run,
    requestedBy: "ana",
    id: newRunId().slice(1),
    target: change.run ?? run,
    round: 0,
    reason: "the gateway was down",
    kind,
    ...change,
  }) as ActionBody;
}

/** Sends an action and returns what the audit says came of it. */
async function act(body: ActionBody): Promise<ActionAnswer | undefined> {
  await command(body);
  return (await audited()).findLast(({ id }) => id === body.id)?.answer;
}

async function command(body: CommandBody): Promise<void> {
  const record = signRecord(validator.keyrings.client, "command", JSON.stringify(body));
  await onCommand(validator.deps, { body, record, signal: never });
}

const auditSchema = actionRecordSchema.omit({ at: true });

async function audited(): Promise<readonly Omit<ActionRecord, "at">[]> {
  const entries = await server.redis.xrange(globalKeys.audit, "-", "+");
  return entries.map(([, [, text = ""]]) => auditSchema.parse(JSON.parse(text)));
}

async function events(): Promise<readonly string[]> {
  const entries = await server.redis.xrange(runKeys(run).events, "-", "+");
  return entries.flatMap(([, fields]) => readEvent(fields)?.type ?? []);
}

describe("a requeue", () => {
  test("of an escalated run opens a fresh attempt, restarts the deadline, and is audited with who and why", async () => {
    await escalate();
    const body = action("requeue");
    expect(await act(body)).toBe("requeued_attempt");
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ state: "streaming", attempt: 2 });
    const hash = await readRun(server.redis, run);
    expect(hash).toMatchObject({ state: "running", requeues: 1 });
    expect(hash).not.toHaveProperty("endedAt");
    expect(hash).not.toHaveProperty("errorClass");
    expect(await validator.turns.getJob(`${run}.1.2`)).toBeDefined();
    expect(await server.redis.zscore(globalKeys.open, turnKey({ run, turn: 1 }))).not.toBeNull();
    const facts = {
      id: body.id,
      kind: "requeue",
      run,
      by: "ana",
      reason: "the gateway was down",
      answer: "requeued_attempt",
    };
    expect(await readActions(server.redis, run)).toMatchObject([facts]);
    expect(await audited()).toMatchObject([facts]);
    expect((await events()).slice(-2)).toEqual(["run_requeued", "attempt_opened"]);
  });

  test("by ten people at once is won by exactly one, and the others hear so", async () => {
    await escalate();
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(action("requeue"))));
    expect(answers.filter((answer) => answer === "requeued_attempt")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "lost")).toHaveLength(9);
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ attempt: 2 });
    expect(await readActions(server.redis, run)).toHaveLength(10);
  });

  test("and an abandon at once are won by exactly one", async () => {
    await escalate();
    const answers = await Promise.all([act(action("requeue")), act(action("abandon"))]);
    expect(answers.filter((answer) => answer === "lost")).toHaveLength(1);
  });

  test("that is delivered again changes nothing and is answered as before", async () => {
    await escalate();
    const body = action("requeue");
    await act(body);
    await escalate(2);
    expect(await act(body)).toBe("requeued_attempt");
    expect(await readRun(server.redis, run)).toMatchObject({ state: "escalated", requeues: 1 });
    expect(await readActions(server.redis, run)).toHaveLength(1);
  });

  test("of an end that somebody acted on before is lost; one of the new end goes through", async () => {
    await escalate();
    await act(action("requeue"));
    await escalate(2);
    expect(await act(action("requeue"))).toBe("lost");
    expect(await act(action("requeue", { round: 1 }))).toBe("requeued_attempt");
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ attempt: 3 });
  });

  test("raises limits where asked, and the run then has as many attempts", async () => {
    await escalate();
    expect(await act(action("requeue", { raise: { attempts: 3 } }))).toBe("requeued_attempt");
    await validator.respond({ run, attempt: 2, ...CUT });
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ attempt: 3 });
    expect((await readRun(server.redis, run))?.plan?.limits).toMatchObject({ attempts: 3, turns: 100 });
  });

  test("of a turn whose calls have ended lets them stand, and waits for one that may still run", async () => {
    const item = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
    const { store } = validator.deps;
    const fields = { state: "POLICY_APPROVED", tool: "t", callId: "c", argumentsKind: "json", bytes: 1 };
    await store.decide(item, { ...fields, effect: "mutating" }, []);
    await store.unlock(
      { run, turn: 1, attempt: 1 },
      {
        stages: new Map([[item, "waiting"]]),
        needs: new Map(),
        calls: 1,
        mutatingCalls: 1,
        limits: { calls: 9, mutatingCalls: 9 },
        runState: "running",
      },
    );
    await store.release(item, 0, {});
    await store.endRun({ run, turn: 1 }, { state: "escalated", fields: {}, events: [] });
    expect(await act(action("requeue"))).toBe("calls_open");
    await store.settle(item, { fields: { settled: "EXECUTED" }, events: [], ifGrant: null });
    expect(await act(action("requeue"))).toBe("requeued_calls");
    // no second attempt of the turn: its results went to the model, and the next turn is open
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ state: "closed", attempt: 1 });
    expect(await readTurn(server.redis, run, 2)).toMatchObject({ state: "streaming", attempt: 1 });
  });
});

describe("an abandon", () => {
  test("ends an escalated run for good", async () => {
    await escalate();
    expect(await act(action("abandon"))).toBe("abandoned");
    expect(await readRun(server.redis, run)).toMatchObject({
      state: "abandoned",
      errorClass: "ATTEMPTS_EXHAUSTED",
    });
    expect(await act(action("abandon"))).toBe("lost");
    expect(await act(action("requeue"))).toBe("lost");
    expect((await events()).at(-1)).toBe("run_abandoned");
  });
});

describe("an action is refused", () => {
  test("on a run that goes on, and on one that a person cancelled", async () => {
    expect(await act(action("requeue"))).toBe("not_ended");
    expect(await act(action("abandon"))).toBe("not_ended");
    const cancel = { version: 1, run, requestedBy: "t", kind: "cancel", reason: "" } as const;
    await command(cancel);
    expect(await act(action("requeue"))).toBe("wrong_state");
  });

  test("on a run that nobody knows, of which no key is left behind", async () => {
    const unknown = newRunId();
    expect(await act(action("requeue", { run: unknown }))).toBe("no_run");
    expect(await act(action("abandon", { run: unknown, target: "x" }))).toBe("no_run");
    expect(await runFamilies(server.redis, unknown)).toEqual([]);
  });

  test("on a run that was refused at the door", async () => {
    run = await validator.submit({ policy: "lax" });
    expect(await act(action("requeue"))).toBe("never_admitted");
  });

  test.each<[string, () => Change, ActionAnswer]>([
    ["for an item of another turn", () => ({ target: `${run}.2.1.0` }), "moved_on"],
    ["for an item of another run", () => ({ target: `${newRunId()}.1.1.0` }), "target_refused"],
    ["for what is no id", () => ({ target: "*" }), "target_refused"],
    ["with a lower limit", () => ({ raise: { turns: 1 } }), "raise_refused"],
    ["with a limit that there isn't", () => ({ raise: { money: 1 } }), "raise_refused"],
    ["with more than a spec may have", () => ({ raise: { attempts: 21 } }), "raise_refused"],
  ])("%s", async (_, change, answer) => {
    await escalate();
    expect(await act(action("requeue", change()))).toBe(answer);
    expect(await readRun(server.redis, run)).toMatchObject({ state: "escalated" });
  });

  test.each([
    ["an empty reason", ""],
    ["a blank one", " \t"],
    ["a reason of 1 MB", "x".repeat(1_000_000)],
    ["one that rewrites the terminal", "\u001b[2J"],
  ])("before it is signed, with %s", (_, reason) => {
    const body = { ...action("requeue"), reason };
    expect(commandBodySchema.safeParse(body).success).toBe(false);
  });

  test("not for half a surrogate pair in its reason, which is replaced", async () => {
    await escalate();
    expect(await act(action("requeue", { reason: "why\ud800" }))).toBe("requeued_attempt");
    expect(await readActions(server.redis, run)).toMatchObject([{ reason: "why\ufffd" }]);
  });
});

describe("the retention of a run", () => {
  /** One key of each family, as an attempt with a broken call leaves them. */
  async function leaveBehind(): Promise<{ readonly item: string }> {
    const streamer = createStreamerStore(server.redis);
    const parts = { run, turn: 1, attempt: 1 };
    const item = itemKey({ ...parts, ordinal: 0 });
    await streamer.begin(parts, "s");
    await streamer.commit(parts, {
      owner: "s",
      fields: {},
      pieces: [],
      raw: "sealed",
      items: [
        { itemKey: item, record: "{}", content: "sealed", aside: true },
        { itemKey: itemKey({ ...parts, ordinal: 1 }), record: "{}", content: "sealed" },
      ],
      events: [],
    });
    const call = { state: "QUARANTINED", settled: "QUARANTINED", tool: "t", callId: "c" };
    await validator.deps.store.decide(item, { ...call, argumentsKind: "json", bytes: 1 }, []);
    await server.redis.set(runKeys(run).result(item), "sealed");
    await server.redis.hset(runKeys(run).workspace, "epoch", 1);
    return { item };
  }

  async function expiries(): Promise<Readonly<Record<string, number>>> {
    const keys = (await server.redis.keys(`airlock:{${run}}:*`)).toSorted();
    const base = `airlock:{${run}}:`;
    const ends = keys.map(async (key): Promise<[string, number]> => [
      key.slice(base.length).replaceAll(run, "<run>"),
      await server.redis.pexpiretime(key),
    ]);
    return Object.fromEntries(await Promise.all(ends));
  }

  test("gives none of its keys an end while it goes on, but for what is set aside", async () => {
    await leaveBehind();
    const ending = Object.entries(await expiries()).filter(([, at]) => at !== -1);
    expect(ending.map(([key]) => key)).toEqual(["content:<run>.1.1.0", "raw:1.1"]);
  });

  test("gives every key of it the same end when it ends; what is set aside goes before; a requeue takes it back", async () => {
    await leaveBehind();
    const before = await expiries();
    await escalate();
    const { keepUntil, rawUntil } = (await readRun(server.redis, run)) ?? {};
    const families = [
      "attempt:1.1",
      "call:<run>.1.1.0",
      "content:<run>.1.1.0",
      "content:<run>.1.1.1",
      "conversation",
      "events",
      "item:<run>.1.1.0",
      "item:<run>.1.1.1",
      "partial",
      "raw:1.1",
      "result:<run>.1.1.0",
      "run",
      "spec",
      "turn:1",
      "workspace",
    ];
    const aside = ["content:<run>.1.1.0", "raw:1.1"];
    const endsOf = (end: number | undefined) =>
      Object.fromEntries(families.map((key) => [key, aside.includes(key) ? before[key] : end]));
    expect(await expiries()).toEqual({ ...endsOf(keepUntil), partial: rawUntil });
    expect(rawUntil).toBeLessThan(keepUntil ?? 0);
    await act(action("requeue"));
    const { partial: _, ...gone } = endsOf(-1);
    expect(await expiries()).toEqual({ ...gone, actions: -1 });
  });

  test("discards what is set aside on time, and nothing else", async () => {
    run = await validator.submit({ limits: { attempts: 1 }, retention: { rawMs: 150 } });
    const { item } = await leaveBehind();
    const { rawUntil } = (await server.redis.hgetall(runKeys(run).item(item))) as { rawUntil: string };
    await Promise.all([
      expiry.gone(runKeys(run).content(item)),
      expiry.gone(runKeys(run).raw({ turn: 1, attempt: 1 })),
    ]);
    const [seconds = "", micros = ""] = await server.redis.time();
    const late = Number(seconds) * 1_000 + Number(micros) / 1_000 - Number(rawUntil);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(5_000);
    expect(await server.redis.hget(runKeys(run).item(item), "record")).toBe("{}");
  });

  test("of zero keeps nothing that is set aside at all", async () => {
    run = await validator.submit({ limits: { attempts: 1 }, retention: { rawMs: 0 } });
    await leaveBehind();
    expect(Object.keys(await expiries()).filter((key) => /^(raw|content)/.test(key))).toEqual([
      "content:<run>.1.1.1",
    ]);
  });

  test("once it is over leaves nothing, not on the lists and not by what comes late", async () => {
    await leaveBehind();
    await escalate();
    const keys = runKeys(run);
    const left = await server.redis.keys(`airlock:{${run}}:*`);
    for (const key of left) await server.redis.pexpire(key, 1);
    await Promise.all(left.map((key) => expiry.gone(key)));
    await server.redis.zadd(globalKeys.runs, 1, run);
    await server.redis.zadd(globalKeys.quarantine, 1, run);
    const { store } = validator.deps;
    await store.cancel(run, [{ type: "cancel_requested", by: "t" }]);
    await store.dropEarly(
      { run, turn: 1, attempt: 1, ordinal: 0 },
      { errorClass: "PROVISIONAL_DROPPED", ifRun: [], ifNot: [] },
    );
    await sweep(validator.deps);
    expect(await server.redis.keys(`airlock:{${run}}:*`)).toEqual([]);
    expect(await server.redis.zscore(globalKeys.runs, run)).toBeNull();
    expect(await server.redis.zscore(globalKeys.quarantine, run)).toBeNull();
    expect(await server.redis.exists(keys.events)).toBe(0);
  });
});
