import { createLedger, type ClaimRequest, type Ending, type Ledger } from "@airlock/core/ledger";
import { itemKey, newRunId } from "@airlock/core/record";
import { globalKeys, readEvent, redisNow, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { allKeys, runFamilies } from "../support/keys.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const DIGEST = "a".repeat(64);
const LEASE_MS = 60_000;
const BEGINNING = { expected: null };

let server: RedisServer;
let ledger: Ledger;
let run: string;
let item: string;
let now: number;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

beforeEach(async () => {
  await server.redis.flushall();
  ledger = createLedger(server.redis);
  run = newRunId();
  item = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
  now = await redisNow(server.redis);
  await server.redis.hset(runKeys(run).run, { state: "running" });
  await server.redis.xgroup("CREATE", runKeys(run).events, "test", "$", "MKSTREAM");
  await grant(item, 1);
});

afterEach(checkLeaks);

async function checkLeaks(): Promise<void> {
  const keys = await allKeys(server.redis);
  const base = `airlock:{${run}}:`;
  const others = keys.filter((key) => !key.startsWith(base) && key !== globalKeys.unknowns);
  expect(others).toEqual([]);
  const families = new Set((await runFamilies(server.redis, run)).map((key) => key.split(":")[0]));
  for (const family of families)
    expect(["call", "ledger", "result", "run", "workspace", "events", "unknown", "frozen"]).toContain(family);
}

/** What the validator's release leaves behind. */
async function grant(key: string, number: number): Promise<void> {
  await server.redis.hset(runKeys(run).call(key), { state: "POLICY_APPROVED", grant: number });
}

function claim(change: Partial<ClaimRequest> = {}): ReturnType<Ledger["claim"]> {
  return ledger.claim({
    itemKey: item,
    owner: "executor-1",
    leaseMs: LEASE_MS,
    knownFence: 0,
    grant: 1,
    digest: DIGEST,
    tool: "write_file",
    effect: "mutating",
    expiresAt: now + 60_000,
    notAfter: now + 600_000,
    ...change,
  });
}

const OK: Ending = {
  transition: "commit",
  status: "ok",
  errorClass: null,
  detail: null,
  content: "sealed",
  contentDigest: DIGEST,
  resultBytes: 3,
  durationMs: 4,
};

async function stateOf(key = item): Promise<string | null> {
  return (await ledger.read(key))?.state ?? null;
}

async function told(): Promise<readonly string[]> {
  const entries = await server.redis.xrange(runKeys(run).events, "-", "+");
  return entries.flatMap(([, fields]) => {
    const event = readEvent(fields);
    return event?.type === "item_state" ? [event.state] : [];
  });
}

/** Moves the ends of the call's and the workspace's lease into the past. */
async function leaseOver(): Promise<void> {
  await server.redis.hset(runKeys(run).ledger(item), "leaseUntil", 1);
  await server.redis.hset(runKeys(run).workspace, "holderUntil", 1);
}

describe("a claim", () => {
  test("takes a granted call, then begin, then one end; each tells its event once", async () => {
    expect(await claim()).toEqual({ kind: "claimed", fence: 1, epoch: expect.any(Number) });
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("started");
    expect(await ledger.end(item, 1, OK)).toBe(true);
    expect(await ledger.read(item)).toMatchObject({
      state: "EXECUTED",
      fence: 1,
      grant: 1,
      status: "ok",
      contentDigest: DIGEST,
      resultBytes: 3,
    });
    expect(await server.redis.get(runKeys(run).result(item))).toBe("sealed");
    expect(await told()).toEqual(["CLAIMED", "STARTED", "EXECUTED"]);
    expect(await server.redis.hget(runKeys(run).workspace, "holder")).toBeNull();
  });

  test("by many executors at once is won by exactly one; the others are held", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => claim({ owner: `executor-${at}` })),
    );
    expect(answers.filter(({ kind }) => kind === "claimed")).toEqual([
      { kind: "claimed", fence: 1, epoch: expect.any(Number) },
    ]);
    const held = answers.filter((answer) => answer.kind === "held");
    expect(held).toHaveLength(19);
    for (const { leaseMs } of held) expect(leaseMs).toBeGreaterThan(LEASE_MS - 5_000);
    expect(await told()).toEqual(["CLAIMED"]);
  });

  test("of a call that nobody granted is refused, and leaves no entry", async () => {
    const other = itemKey({ run, turn: 1, attempt: 1, ordinal: 7 });
    expect(await claim({ itemKey: other })).toEqual({ kind: "refused", reason: "no_call" });
    expect(await stateOf(other)).toBeNull();
  });

  test.each(["SCHEMA_VALID", "AWAITING_APPROVAL", "DENIED", "QUARANTINED"])(
    "of a call in %s is refused",
    async (state) => {
      await server.redis.hset(runKeys(run).call(item), { state });
      expect(await claim()).toEqual({ kind: "refused", reason: "superseded" });
      expect(await stateOf()).toBeNull();
    },
  );

  test("of a call that the validator has settled is refused", async () => {
    await server.redis.hset(runKeys(run).call(item), { settled: "EXPIRED" });
    expect(await claim()).toEqual({ kind: "refused", reason: "superseded" });
    expect(await stateOf()).toBeNull();
  });

  test.each([
    ["an older", 1, 2],
    ["a later", 3, 2],
  ])("with %s grant than the call's is refused", async (_, used, granted) => {
    await grant(item, granted);
    expect(await claim({ grant: used })).toEqual({ kind: "refused", reason: "superseded" });
    expect(await stateOf()).toBeNull();
  });

  test("with other arguments under a key that was used is key reuse, in every state", async () => {
    const reuse = { kind: "refused", reason: "key_reused" };
    await claim();
    expect(await claim({ digest: "b".repeat(64) })).toEqual(reuse);
    await ledger.begin(item, 1, BEGINNING);
    expect(await claim({ digest: "b".repeat(64) })).toEqual(reuse);
    await ledger.end(item, 1, OK);
    expect(await claim({ digest: "b".repeat(64) })).toEqual(reuse);
    expect(await stateOf()).toBe("EXECUTED");
  });

  test("with an expired grant asks for a new one, and runs nothing", async () => {
    expect(await claim({ expiresAt: now - 1 })).toEqual({
      kind: "regrant",
      fence: 0,
      errorClass: "GRANT_EXPIRED",
    });
    expect(await stateOf()).toBeNull();
    await grant(item, 2);
    expect(await claim({ grant: 2 })).toEqual({ kind: "claimed", fence: 1, epoch: expect.any(Number) });
  });

  test("with an expired decision ends the call", async () => {
    expect(await claim({ expiresAt: now - 2, notAfter: now - 1 })).toEqual({ kind: "settled" });
    expect(await ledger.read(item)).toMatchObject({ state: "EXPIRED", errorClass: "GRANT_EXPIRED" });
    expect(await claim()).toEqual({ kind: "settled" });
    expect(await told()).toEqual(["EXPIRED"]);
  });

  test.each(["cancelled", "endedAt"])("of a run that is %s ends the call", async (flag) => {
    await server.redis.hset(runKeys(run).run, { [flag]: "1" });
    expect(await claim()).toEqual({ kind: "settled" });
    expect(await ledger.read(item)).toMatchObject({ state: "CANCELLED", status: "refused" });
    expect(await told()).toEqual(["CANCELLED"]);
  });

  test.each(["EXECUTED", "DENIED", "OUTCOME_UNKNOWN"] as const)(
    "of a call that ended in %s runs nothing again",
    async (state) => {
      await claim();
      const ending = { EXECUTED: "commit", DENIED: "deny", OUTCOME_UNKNOWN: "lose" } as const;
      if (state !== "DENIED") await ledger.begin(item, 1, BEGINNING);
      expect(await ledger.end(item, 1, { ...OK, transition: ending[state] })).toBe(true);
      for (const number of [1, 2]) {
        await grant(item, number);
        expect(await claim({ grant: number })).toEqual(
          state === "OUTCOME_UNKNOWN" ? { kind: "unknown", fence: 1 } : { kind: "settled" },
        );
      }
      expect(await ledger.begin(item, 1, BEGINNING)).toBe("stale");
      expect(await stateOf()).toBe(state);
    },
  );
});

describe("a lease that ran out", () => {
  test("in CLAIMED gives the call to the next one, with a higher fence; the old holder can do nothing more", async () => {
    await claim();
    await leaseOver();
    expect(await claim({ owner: "executor-2" })).toEqual({
      kind: "claimed",
      fence: 2,
      epoch: expect.any(Number),
    });
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("stale");
    expect(await ledger.renew(item, 1, LEASE_MS)).toBe(false);
    expect(await ledger.release(item, 1)).toBe(false);
    expect(await ledger.end(item, 1, { ...OK, transition: "deny" })).toBe(false);
    expect(await ledger.begin(item, 2, BEGINNING)).toBe("started");
    expect(await ledger.end(item, 1, OK)).toBe(false);
    expect(await ledger.end(item, 2, OK)).toBe(true);
  });

  test("can't be begun under, nor renewed, though nobody else has come", async () => {
    await claim();
    await leaseOver();
    expect(await ledger.renew(item, 1, LEASE_MS)).toBe(false);
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("stale");
    expect(await stateOf()).toBe("CLAIMED");
  });

  test("in STARTED leaves a mutating call unknown, for good", async () => {
    await claim();
    await ledger.begin(item, 1, BEGINNING);
    await leaseOver();
    expect(await claim({ owner: "executor-2" })).toEqual({ kind: "unknown", fence: 1 });
    expect(await ledger.read(item)).toMatchObject({ state: "OUTCOME_UNKNOWN", status: "unknown", fence: 1 });
    expect(await ledger.end(item, 1, OK)).toBe(false);
    expect(await claim()).toEqual({ kind: "unknown", fence: 1 });
    expect(await told()).toEqual(["CLAIMED", "STARTED", "OUTCOME_UNKNOWN"]);
  });

  test("in STARTED lets a read run again, under a new grant only", async () => {
    const read = { effect: "read", tool: "read_file" } as const;
    await claim(read);
    await ledger.begin(item, 1, BEGINNING);
    await leaseOver();
    const regrant = { kind: "regrant", fence: 1, errorClass: "OUTCOME_UNKNOWN" };
    expect(await claim(read)).toEqual(regrant);
    expect(await claim(read)).toEqual(regrant);
    expect(await ledger.end(item, 1, OK)).toBe(false);
    await grant(item, 2);
    expect(await claim({ ...read, grant: 1 })).toEqual({ kind: "refused", reason: "superseded" });
    expect(await claim({ ...read, grant: 2 })).toEqual({ kind: "claimed", fence: 2, epoch: null });
  });

  test("on the workspace lets the next mutating call in", async () => {
    const other = itemKey({ run, turn: 1, attempt: 1, ordinal: 1 });
    await grant(other, 1);
    await claim();
    await leaseOver();
    expect(await claim({ itemKey: other })).toEqual({ kind: "claimed", fence: 1, epoch: expect.any(Number) });
    expect(await claim()).toMatchObject({ kind: "held" });
  });
});

describe("a renewal", () => {
  test("keeps call and workspace, and a stale fence keeps nothing", async () => {
    await claim({ leaseMs: 1_000 });
    expect(await ledger.renew(item, 1, LEASE_MS)).toBe(true);
    const entry = await ledger.read(item);
    expect(entry?.leaseUntil).toBeGreaterThan(now + LEASE_MS - 1_000);
    expect(Number(await server.redis.hget(runKeys(run).workspace, "holderUntil"))).toBe(entry?.leaseUntil);
    expect(await ledger.renew(item, 2, LEASE_MS)).toBe(false);
    expect(await ledger.renew(item, 0, LEASE_MS)).toBe(false);
  });

  test("of an ended call changes nothing", async () => {
    await claim();
    await ledger.begin(item, 1, BEGINNING);
    await ledger.end(item, 1, OK);
    const before = await ledger.read(item);
    expect(await ledger.renew(item, 1, LEASE_MS)).toBe(false);
    expect(await ledger.read(item)).toEqual(before);
  });
});

describe("a release", () => {
  test("gives the call back, and its fence is burned", async () => {
    await claim();
    expect(await ledger.release(item, 1)).toBe(true);
    expect(await stateOf()).toBe("POLICY_APPROVED");
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("stale");
    expect(await claim()).toEqual({ kind: "claimed", fence: 2, epoch: expect.any(Number) });
  });

  test("of a call that began is refused", async () => {
    await claim();
    await ledger.begin(item, 1, BEGINNING);
    expect(await ledger.release(item, 1)).toBe(false);
    expect(await stateOf()).toBe("STARTED");
  });
});

describe("a begin", () => {
  test("happens once", async () => {
    await claim();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ledger.begin(item, 1, BEGINNING)));
    expect(answers.filter((answer) => answer === "started")).toHaveLength(1);
    expect(await told()).toEqual(["CLAIMED", "STARTED"]);
  });

  test.each(["cancelled", "endedAt"])("in a run that is %s by then ends the call", async (flag) => {
    await claim();
    await server.redis.hset(runKeys(run).run, { [flag]: "1" });
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("settled");
    expect(await ledger.read(item)).toMatchObject({ state: "CANCELLED", errorClass: "CANCELLED" });
    expect(await server.redis.hget(runKeys(run).workspace, "holder")).toBeNull();
  });

  test("does not begin a call that was settled while its claim was prepared, which was told of by then", async () => {
    await claim({ effect: "read" });
    await server.redis.hset(runKeys(run).call(item), "settled", "CANCELLED");
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("settled");
    expect([await stateOf(), await told()]).toEqual(["CANCELLED", ["CLAIMED"]]);
  });

  test("without a claim is stale", async () => {
    expect(await ledger.begin(item, 0, BEGINNING)).toBe("stale");
    expect(await ledger.begin(item, 1, BEGINNING)).toBe("stale");
    expect(await stateOf()).toBeNull();
  });
});

test.each([
  ["commit", "CLAIMED"],
  ["lose", "CLAIMED"],
  ["deny", "STARTED"],
] as const)("%s can't end a call in %s", async (transition, state) => {
  await claim();
  if (state === "STARTED") await ledger.begin(item, 1, BEGINNING);
  expect(await ledger.end(item, 1, { ...OK, transition })).toBe(false);
  expect(await stateOf()).toBe(state);
});

test("the workspace lease keeps two mutating calls apart and lets reads through", async () => {
  const second = itemKey({ run, turn: 1, attempt: 1, ordinal: 1 });
  const third = itemKey({ run, turn: 1, attempt: 1, ordinal: 2 });
  await grant(second, 1);
  await grant(third, 1);
  expect(await claim()).toMatchObject({ kind: "claimed" });
  expect(await claim({ itemKey: second })).toMatchObject({ kind: "held" });
  expect(await stateOf(second)).toBeNull();
  expect(await claim({ itemKey: third, effect: "read", tool: "read_file" })).toMatchObject({
    kind: "claimed",
  });
  await ledger.begin(item, 1, BEGINNING);
  expect(await claim({ itemKey: second })).toMatchObject({ kind: "held" });
  await ledger.end(item, 1, OK);
  expect(await claim({ itemKey: second })).toMatchObject({ kind: "claimed" });
  // an end of a call that does not hold the workspace leaves it to its holder
  await ledger.begin(third, 1, BEGINNING);
  await ledger.end(third, 1, OK);
  expect(await server.redis.hget(runKeys(run).workspace, "holder")).toBe(second);
});
