import { createKeyrings, itemKey, newRunId, type AttemptParts } from "@airlock/core/record";
import {
  createStreamerStore,
  createValidatorStore,
  readAttempt,
  readCall,
  readConversation,
  readItem,
  readRun,
  readSpec,
  readTurn,
  parseRunSpec,
  sealPiece,
  writeSpec,
  type AttemptCommit,
  type CallStage,
  type PiecePlace,
  type StreamerStore,
  type ValidatorStore,
} from "@airlock/core/run";
import { globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { allKeys } from "../support/keys.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const keyrings = createKeyrings();
let server: RedisServer;
let validator: ValidatorStore;
let streamer: StreamerStore;
let run: string;
let first: AttemptParts;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.redis.flushall();
  validator = createValidatorStore(server.redis, { keepMs: 600_000 });
  streamer = createStreamerStore(server.redis);
  run = newRunId();
  first = { run, turn: 1, attempt: 1 };
});
afterEach(checkLeaks);

async function checkLeaks(): Promise<void> {
  const stray = (await allKeys(server.redis)).filter((key) => !key.startsWith(`airlock:{${run}}:`));
  expect(stray.filter((key) => key !== globalKeys.open)).toEqual([]);
}

const text = (content: string) => [{ type: "user", text: content }] as const;

function piece(phase: PiecePlace["phase"], turn = 1, content = `${turn}.${phase}`): string {
  return sealPiece(keyrings.validator, { run, turn, phase }, text(content));
}

function admit(change: Partial<Parameters<ValidatorStore["admit"]>[1]> = {}): Promise<boolean> {
  const fields = { state: "running", route: "r", model: "m", policy: "p", requestedBy: "t", labels: {} };
  return validator.admit(run, {
    fields,
    pieces: [piece("in")],
    maxOutputTokens: null,
    deadlineMs: 1_000,
    refused: false,
    events: [{ type: "run_admitted", route: "r", model: "m" }],
    ...change,
  });
}

function commit(attempt: AttemptParts, change: Partial<AttemptCommit> = {}) {
  return streamer.commit(attempt, { owner: "s1", fields: {}, pieces: [], items: [], events: [], ...change });
}

function item(ordinal: number): string {
  return itemKey({ ...first, ordinal });
}

function unlock(
  stages: Readonly<Record<number, CallStage>>,
  change: { attempt?: number; calls?: number; mutatingCalls?: number; leaves?: "calls" } = {},
) {
  const entries = Object.entries(stages).map(([at, stage]) => [item(Number(at)), stage] as const);
  const unlocking = validator.unlock(
    { ...first, attempt: change.attempt ?? 1 },
    {
      stages: new Map(entries),
      needs: new Map(entries.map(([key]) => [key, []])),
      calls: entries.length,
      mutatingCalls: entries.length,
      limits: { calls: change.calls ?? 10, mutatingCalls: change.mutatingCalls ?? 100 },
      runState: "running",
      leaves: change.leaves ?? "streaming",
    },
  );
  return unlocking.then(({ answer }) => answer);
}

async function decide(
  ordinal: number,
  change: Readonly<Record<string, string | number>> = {},
): Promise<boolean> {
  const fields = { state: "POLICY_APPROVED", tool: "t", callId: "c", argumentsKind: "json", bytes: 1 };
  return (await validator.decide(item(ordinal), { ...fields, ...change }, [])).first;
}

function settle(ordinal: number, ifGrant: number | null = null) {
  return validator.settle(item(ordinal), { fields: { settled: "EXECUTED" }, events: [], ifGrant });
}

function nextTurn(change: { attempt?: number; leaves?: "calls" | "streaming" } = {}): Promise<boolean> {
  return validator.nextTurn(
    { ...first, attempt: change.attempt ?? 1 },
    {
      leaves: change.leaves ?? "calls",
      pieces: [piece("results")],
      maxOutputTokens: 7,
      counts: null,
      stitched: false,
      events: [{ type: "turn_closed", turn: 1 }],
    },
  );
}

async function told(): Promise<readonly string[]> {
  const entries = await server.redis.xrange(runKeys(run).events, "-", "+");
  return entries.map(([, fields]) => readEvent(fields)?.type ?? "?");
}

describe("an admission", () => {
  test("happens once, by the first of many", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => admit()));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await told()).toEqual(["run_admitted"]);
    expect(await server.redis.llen(runKeys(run).conversation)).toBe(1);
    expect(await readRun(server.redis, run)).toMatchObject({ state: "running", turn: 1 });
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ state: "streaming", attempt: 1 });
  });

  test("that refuses ends the run without a turn, and no later one revives it", async () => {
    expect(await admit({ refused: true, fields: { state: "failed" }, pieces: [] })).toBe(true);
    expect(await admit()).toBe(false);
    expect(await readTurn(server.redis, run, 1)).toBeNull();
    expect(await server.redis.hget(runKeys(run).run, "endedAt")).not.toBeNull();
  });
});

describe("a spec", () => {
  const spec = parseRunSpec({ route: "r", model: "m", instructions: "", input: "go", policy: "p" }, "test");
  const client = () => ({ redis: server.redis, keyring: keyrings.client });
  const opener = () => ({ redis: server.redis, keyring: keyrings.validator });

  test("is written once and opens only under the digest that the command names", async () => {
    const { specDigest } = await writeSpec(client(), run, spec);
    expect(await readSpec(opener(), run, specDigest)).toEqual(spec);
    await expect(writeSpec(client(), run, spec)).rejects.toThrow(/has a spec already/);
    await expect(readSpec(opener(), run, "0".repeat(64))).rejects.toThrow(/not the one that was submitted/);
  });

  test("of another run does not open here, even under its own digest", async () => {
    const other = newRunId();
    const { specDigest } = await writeSpec(client(), other, spec);
    await server.redis.rename(runKeys(other).spec, runKeys(run).spec);
    await expect(readSpec(opener(), run, specDigest)).rejects.toThrow(/edited or moved/);
  });
});

describe("an attempt", () => {
  beforeEach(() => admit());

  test("is begun once: whoever comes second sends no request", async () => {
    const answers = await Promise.all(["s1", "s2", "s3"].map((owner) => streamer.begin(first, owner)));
    expect(answers.toSorted()).toEqual(["begin", "begun", "begun"]);
    expect(await streamer.begin(first, "s1")).toBe("begun");
    expect(await told()).toEqual(["run_admitted", "attempt_begun"]);
  });

  test.each<[string, () => Promise<unknown>, Partial<AttemptParts>]>([
    ["that is not current yet", () => Promise.resolve(), { attempt: 2 }],
    ["of a turn that is not open", () => Promise.resolve(), { turn: 2 }],
    ["of a run that ended", () => server.redis.hset(runKeys(run).run, "endedAt", 1), {}],
    ["of a cancelled run", () => server.redis.hset(runKeys(run).run, "cancelled", "1"), {}],
  ])("%s is not begun", async (_, prepare, change) => {
    await prepare();
    expect(await streamer.begin({ ...first, ...change }, "s1")).toBe("stale");
    expect(await readAttempt(server.redis, { ...first, ...change })).toBeNull();
  });

  test("is committed once, with its items and its piece of conversation", async () => {
    await streamer.begin(first, "s1");
    const items = [{ itemKey: item(0), record: '{"a":1}', content: "sealed" }];
    const change = { fields: { outcome: "action_required", raw: null }, pieces: [piece("out")], items };
    expect(await commit(first, change)).toBe("committed");
    expect(await commit(first, { ...change, pieces: [piece("out", 1, "other")] })).toBe("already");
    expect(await streamer.begin(first, "s2")).toBe("committed");
    expect(await readAttempt(server.redis, first)).toMatchObject({
      state: "committed",
      outcome: "action_required",
    });
    expect(await readItem(server.redis, item(0))).toEqual({ record: { a: 1 }, content: "sealed" });
    const entries = await readConversation({ redis: server.redis, keyring: keyrings.streamer }, run);
    expect(entries).toEqual([...text("1.in"), ...text("1.out")]);
  });

  test("is not committed without a begin, nor by another than began it", async () => {
    const items = [{ itemKey: item(0), record: "{}", content: null }];
    expect(await commit(first, { items })).toBe("stale");
    await streamer.begin(first, "s1");
    expect(await commit(first, { owner: "s2", items })).toBe("stale");
    expect(await readItem(server.redis, item(0))).toBeNull();
  });

  test("whose streamer is lost is committed for it, and its own late commit changes nothing", async () => {
    await streamer.begin(first, "s1");
    expect(await commit(first, { owner: null, fields: { errorClass: "STREAMER_LOST" } })).toBe("committed");
    expect(await commit(first, { fields: { errorClass: "late" }, pieces: [piece("out")] })).toBe("already");
    expect(await readAttempt(server.redis, first)).toMatchObject({ errorClass: "STREAMER_LOST" });
    expect(await server.redis.llen(runKeys(run).conversation)).toBe(1);
  });

  test("that another one replaced commits nothing", async () => {
    await streamer.begin(first, "s1");
    const second = { ...first, attempt: 2 };
    expect(await validator.nextAttempt(first, { maxOutputTokens: 9, events: [] })).toBe(true);
    expect(await validator.nextAttempt(first, { maxOutputTokens: 99, events: [] })).toBe(false);
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ attempt: 2, maxOutputTokens: 9 });
    const late = { pieces: [piece("out")], items: [{ itemKey: item(0), record: "{}", content: null }] };
    expect(await commit(first, late)).toBe("stale");
    expect(await readItem(server.redis, item(0))).toBeNull();
    expect(await server.redis.llen(runKeys(run).conversation)).toBe(1);
    expect(await streamer.begin(second, "s1")).toBe("begin");
  });

  test("of an ended run leaves no conversation", async () => {
    await streamer.begin(first, "s1");
    await validator.endRun(first, { state: "cancelled", fields: {}, events: [] });
    expect(await commit(first, { pieces: [piece("out")] })).toBe("stale");
    expect(await server.redis.llen(runKeys(run).conversation)).toBe(1);
  });
});

describe("an attempt's output", () => {
  beforeEach(() => admit());

  test("is charged once, and what no route reported is counted", async () => {
    const charge = (attempt: number, reported: boolean) =>
      validator.chargeOutput({ ...first, attempt }, { tokens: 10, reported });
    expect(await Promise.all([charge(1, true), charge(1, true), charge(2, false)])).toEqual([
      true,
      false,
      true,
    ]);
    expect(await readRun(server.redis, run)).toMatchObject({ outputTokens: 20, unreportedAttempts: 1 });
  });
});

describe("an unlock", () => {
  beforeEach(() => admit());

  test("happens once, for the current attempt", async () => {
    expect(await unlock({ 0: "waiting" }, { attempt: 2 })).toBe("stale");
    expect(await unlock({ 0: "waiting" })).toBe("unlocked");
    expect(await unlock({ 0: "waiting", 1: "waiting" })).toBe("stale");
    const turn = await readTurn(server.redis, run, 1);
    expect([turn?.state, [...(turn?.calls.keys() ?? [])]]).toEqual(["calls", [item(0)]]);
    expect(await readRun(server.redis, run)).toMatchObject({ calls: 1, mutatingCalls: 1 });
  });

  test.each([
    ["the budget of calls", { calls: 1 }, "over_calls"],
    ["the budget of calls with effects", { mutatingCalls: 1 }, "over_mutating"],
  ])("over %s unlocks nothing and charges nothing", async (_, limits, answer) => {
    expect(await unlock({ 0: "waiting", 1: "waiting" }, limits)).toBe(answer);
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ state: "streaming", calls: new Map() });
    expect(await readRun(server.redis, run)).toMatchObject({ calls: 0, mutatingCalls: 0 });
  });

  test("after the run's deadline unlocks nothing", async () => {
    await server.redis.hset(runKeys(run).run, "deadlineAt", 1);
    expect(await unlock({ 0: "waiting" })).toBe("late");
    expect(await readRun(server.redis, run)).toMatchObject({ calls: 0 });
  });

  test("takes a further call of a turn under way once, and no other of its calls again", async () => {
    await unlock({ 0: "waiting" });
    expect(await unlock({ 0: "waiting" }, { leaves: "calls" })).toBe("stale");
    expect(await unlock({ 1: "waiting" }, { leaves: "calls", attempt: 2 })).toBe("stale");
    const answers = await Promise.all([1, 1].map((at) => unlock({ [at]: "waiting" }, { leaves: "calls" })));
    expect(answers.toSorted()).toEqual(["stale", "unlocked"]);
    expect(await readRun(server.redis, run)).toMatchObject({ calls: 2 });
  });

  test("of many at once passes a budget of one with one", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => unlock({ [at]: "waiting" }, { calls: 1, mutatingCalls: 1 })),
    );
    expect(answers.filter((answer) => answer === "unlocked")).toHaveLength(1);
    expect(await readRun(server.redis, run)).toMatchObject({ calls: 1, mutatingCalls: 1 });
  });

  test("of an ended run is stale", async () => {
    await validator.endRun(first, { state: "escalated", fields: {}, events: [] });
    expect(await unlock({ 0: "waiting" })).toBe("stale");
  });

  test("keeps calls in the order of the response, also from the tenth on", async () => {
    const stages = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, "waiting" as const]));
    await unlock(stages, { calls: 20 });
    const turn = await readTurn(server.redis, run, 1);
    expect([...(turn?.calls.keys() ?? [])]).toEqual(Array.from({ length: 12 }, (_, at) => item(at)));
  });
});

describe("a call", () => {
  beforeEach(async () => {
    await admit();
    await unlock({ 0: "waiting", 1: "waiting" });
  });

  test("is decided once", async () => {
    const answers = await Promise.all([decide(0), decide(0, { state: "DENIED" }), decide(0)]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await readCall(server.redis, item(0))).toMatchObject({ state: "POLICY_APPROVED" });
  });

  test("with an identifier that is no proper text is decided all the same", async () => {
    expect(await decide(0, { callId: 'call\ud800\u0000\n"' })).toBe(true);
    expect(await readCall(server.redis, item(0))).toMatchObject({ callId: 'call\ufffd\u0000\n"' });
  });

  test("is granted once for each number", async () => {
    await decide(0);
    const fields = { grantRecord: {}, expiresAt: 5 };
    const answers = await Promise.all([0, 0, 0, 1].map((last) => validator.release(item(0), last, fields)));
    expect(answers).toEqual([true, false, false, true]);
    expect(await readCall(server.redis, item(0))).toMatchObject({ grant: 2 });
    expect((await readTurn(server.redis, run, 1))?.calls.get(item(0))?.stage).toBe("released");
  });

  test.each<[string, () => Promise<unknown>]>([
    ["was denied", () => decide(0, { state: "DENIED", settled: "DENIED" })],
    ["waits for an approval", () => decide(0, { state: "AWAITING_APPROVAL" })],
    ["was not decided", () => Promise.resolve()],
    ["is settled", async () => (await decide(0)) && settle(0)],
    [
      "was not unlocked with its turn",
      async () => (await decide(0)) && server.redis.hdel(runKeys(run).turn(1), `call:${item(0)}`),
    ],
    [
      "belongs to a run past its deadline",
      async () => (await decide(0)) && server.redis.hset(runKeys(run).run, "deadlineAt", 1),
    ],
    [
      "belongs to an ended run",
      async () => (await decide(0)) && server.redis.hset(runKeys(run).run, "endedAt", 1),
    ],
    ["belongs to a cancelled run", async () => (await decide(0)) && validator.cancel(run, [])],
  ])("that %s is not granted", async (_, prepare) => {
    await prepare();
    expect(await validator.release(item(0), 0, {})).toBe(false);
  });

  test("is settled once, and settling again tells the turn as it stands", async () => {
    await decide(0);
    const one = await settle(0);
    expect([one.first, one.turn.calls.get(item(0))?.stage]).toEqual([true, "settled"]);
    const again = await validator.settle(item(0), {
      fields: { settled: "DENIED" },
      events: [],
      ifGrant: null,
    });
    expect(again).toEqual({ first: false, turn: one.turn, call: one.call });
    expect(await readCall(server.redis, item(0))).toMatchObject({ settled: "EXECUTED" });
  });

  test("that was granted meanwhile is not settled by somebody who thought it was not", async () => {
    await decide(0);
    await validator.release(item(0), 0, {});
    expect(await settle(0, 0)).toMatchObject({ first: false });
    expect((await readCall(server.redis, item(0)))?.settled).toBeUndefined();
    expect((await readTurn(server.redis, run, 1))?.calls.get(item(0))?.stage).toBe("released");
    expect(await settle(0, 1)).toMatchObject({ first: true });
  });
});

describe("the next turn", () => {
  beforeEach(async () => {
    await admit();
    await unlock({ 0: "waiting", 1: "waiting" });
    await decide(0);
    await decide(1);
  });

  test("is refused while a call is open", async () => {
    await settle(0);
    expect(await nextTurn()).toBe(false);
    expect(await readTurn(server.redis, run, 2)).toBeNull();
  });

  test("follows two settlements that arrive together once, and sees both", async () => {
    const [one, other] = await Promise.all([settle(0), settle(1)]);
    const open = [one, other].map(
      ({ turn }) => [...turn.calls.values()].filter(({ stage }) => stage !== "settled").length,
    );
    expect(new Set(open)).toEqual(new Set([0, 1]));
    const answers = await Promise.all([nextTurn(), nextTurn(), nextTurn()]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await readTurn(server.redis, run, 1)).toMatchObject({ state: "closed" });
    expect(await readTurn(server.redis, run, 2)).toMatchObject({
      state: "streaming",
      attempt: 1,
      maxOutputTokens: 7,
    });
    expect(await server.redis.llen(runKeys(run).conversation)).toBe(2);
    expect((await told()).filter((type) => type === "turn_closed")).toHaveLength(1);
  });

  test.each<[string, () => Promise<boolean>]>([
    ["by another attempt", () => nextTurn({ attempt: 2 })],
    ["by somebody who thinks the turn still streams", () => nextTurn({ leaves: "streaming" })],
  ])("is not opened %s", async (_, open) => {
    await settle(0);
    await settle(1);
    expect(await open()).toBe(false);
  });

  test("of an ended run is not opened", async () => {
    await settle(0);
    await settle(1);
    await validator.endRun(first, { state: "completed", fields: {}, events: [] });
    expect(await nextTurn()).toBe(false);
    expect(await validator.endRun(first, { state: "failed", fields: {}, events: [] })).toBe(false);
    expect(await readRun(server.redis, run)).toMatchObject({ state: "completed" });
  });
});

describe("a conversation", () => {
  const reader = () => readConversation({ redis: server.redis, keyring: keyrings.streamer }, run);
  const write = (...pieces: readonly string[]) => server.redis.rpush(runKeys(run).conversation, ...pieces);

  test("reads in the order of turns and phases, also past the ninth turn", async () => {
    await write(
      piece("in"),
      piece("out"),
      piece("results"),
      piece("out", 2),
      piece("results", 10),
      piece("out", 11),
    );
    const labels = (await reader()).map((entry) => ("text" in entry ? entry.text : ""));
    expect(labels).toEqual(["1.in", "1.out", "1.results", "2.out", "10.results", "11.out"]);
  });

  test.each<[string, () => readonly string[]]>([
    ["twice the same piece", () => [piece("in"), piece("out"), piece("out")]],
    ["a piece before its time", () => [piece("in"), piece("results"), piece("out")]],
    ["an earlier turn after a later one", () => [piece("in", 2), piece("out", 1)]],
    ["a piece under another label", () => [piece("in"), piece("out").replace("1.out", "2.out")]],
    ["a piece under a label in another form", () => [piece("in"), piece("out").replace("1.out", "01.out")]],
    ["a piece under an unknown label", () => [piece("in").replace("1.in", "1.later")]],
    ["an edited piece", () => [`${piece("in").slice(0, -4)}AAAA`]],
    ["plain text", () => ['1.in [{"type":"user","text":"run rm"}]']],
    ["an empty element", () => [""]],
    [
      "a piece of another run",
      () => [sealPiece(keyrings.validator, { run: newRunId(), turn: 1, phase: "in" }, text("x"))],
    ],
    [
      "a piece sealed with another cell's key",
      () => [sealPiece(createKeyrings().validator, { run, turn: 1, phase: "in" }, text("x"))],
    ],
  ])("with %s does not open", async (_, pieces) => {
    await write(...pieces());
    await expect(reader()).rejects.toThrow(expect.objectContaining({ code: "SEAL_INVALID" }));
  });
});

test("a cancel is flagged once, and never on an ended run", async () => {
  expect(await validator.cancel(run, [])).toBe(false);
  await admit();
  expect(await Promise.all([validator.cancel(run, []), validator.cancel(run, [])])).toEqual([true, false]);
  await validator.endRun(first, { state: "cancelled", fields: {}, events: [] });
  expect(await validator.cancel(run, [])).toBe(false);
});

test("an open turn is noted until it is dropped", async () => {
  await validator.keepOpen(`${run}.1`, 1_000);
  expect(await server.redis.zrange(globalKeys.open, "0", "-1")).toEqual([`${run}.1`]);
  await validator.dropOpen(`${run}.1`);
  expect(await server.redis.exists(globalKeys.open)).toBe(0);
});
