import { createLedger, listedUnknowns, unknownOf } from "@airlock/core/ledger";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { allKeys } from "../support/keys.ts";
import { openMemoryBook, openRedisBook, type Book } from "../support/ledger-book.ts";
import {
  BEGINNING,
  claim,
  DAY_MS,
  DENIAL,
  DIGEST,
  EXECUTED,
  KEEP_MS,
  KNOWN_START,
  LEASE_MS,
  LOST,
  needsPerson,
  OK,
  OTHER_DIGEST,
  RECONCILER,
  started,
} from "../support/ledger-case.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
let book: Book;
let item: string;
let other: string;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

async function stateOf(key: string): Promise<string | null> {
  return (await book.ledger.read(key))?.state ?? null;
}

async function expectNoLeaks(): Promise<void> {
  const run = item.split(".")[0] ?? "";
  const outside = (await allKeys(server.redis)).filter((key) => !key.startsWith(`airlock:{${run}}:`));
  expect(outside.filter((key) => key !== globalKeys.unknowns)).toEqual([]);
}

async function open(how: () => Promise<Book>): Promise<void> {
  await server.redis.flushall();
  book = await how();
  [item, other] = [book.item(0), book.item(1)];
  for (const key of [item, other]) await book.call(key, { grant: 1 });
}

const NONCE = "a".repeat(20);
const OTHER_NONCE = "b".repeat(20);
const READ = { effect: "read", tool: "read_file" } as const;

/** A lease is over by then, a grant and its decision are not. */
const AFTER_LEASE = LEASE_MS + 1;
const LONG = { expiresAt: 9e12, notAfter: 9e12 } as const;

describe.each([
  ["in memory", openMemoryBook],
  ["in Redis", () => openRedisBook(server.redis)],
])("the ledger %s:", (_, how) => {
  beforeEach(() => open(how));

  describe("a claim", () => {
    test("takes a granted call, then begin, then one end; each tells its event once", async () => {
      expect(await claim(book, item)).toEqual({ kind: "claimed", fence: 1, epoch: 1 });
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("started");
      expect(await book.ledger.read(item)).toMatchObject({
        epoch: 1,
        sandbox: "bwrap",
        expected: BEGINNING.expected,
      });
      expect(await book.ledger.end(item, 1, OK)).toBe(true);
      const entry = await book.ledger.read(item);
      expect(entry).toMatchObject({
        state: "EXECUTED",
        fence: 1,
        grant: 1,
        status: "ok",
        contentDigest: DIGEST,
        resultBytes: 3,
      });
      expect(entry).not.toHaveProperty("expected");
      expect(await book.result(item)).toBe(OK.content);
      expect(await book.told()).toEqual(["0 CLAIMED", "0 STARTED", "0 EXECUTED"]);
    });

    test("consumes the approval that the call has by now, and keeps its nonce", async () => {
      await book.call(item, { nonce: NONCE });
      const other = { kind: "refused", reason: "other_approval" };
      expect(await claim(book, item)).toEqual(other);
      expect(await claim(book, item, { nonce: OTHER_NONCE })).toEqual(other);
      expect(await book.ledger.read(item)).toBeNull();
      expect(await claim(book, item, { nonce: NONCE })).toMatchObject({ kind: "claimed" });
      expect(await book.ledger.read(item)).toMatchObject({ nonce: NONCE });
    });

    test("finds no approval where the call needs none", async () => {
      const refused = { kind: "refused", reason: "other_approval" };
      expect(await claim(book, item, { nonce: NONCE })).toEqual(refused);
    });

    test("takes the same call again under its approval after a lost lease, and after a new one", async () => {
      await book.call(item, { nonce: NONCE });
      await claim(book, item, { nonce: NONCE });
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, { nonce: NONCE, ...LONG })).toMatchObject({ kind: "claimed", fence: 2 });
      await book.pass(AFTER_LEASE);
      await book.call(item, { nonce: OTHER_NONCE });
      expect(await claim(book, item, { nonce: NONCE, ...LONG })).toMatchObject({ reason: "other_approval" });
      const anew = await claim(book, item, { nonce: OTHER_NONCE, ...LONG });
      expect(anew).toMatchObject({ kind: "claimed", fence: 3 });
    });

    test("of what had begun under one approval is refused under another", async () => {
      await book.call(item, { nonce: NONCE });
      await claim(book, item, { nonce: NONCE });
      await book.ledger.begin(item, 1, BEGINNING);
      await book.ledger.unbegin(item, 1);
      await book.call(item, { nonce: OTHER_NONCE });
      const spent = { kind: "refused", reason: "approval_spent" };
      expect(await claim(book, item, { nonce: OTHER_NONCE })).toEqual(spent);
      await book.call(item, { nonce: NONCE });
      expect(await claim(book, item, { nonce: NONCE })).toMatchObject({ kind: "claimed", fence: 2 });
    });

    test("by many executors at once is won by exactly one; the others are held (row 28)", async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => claim(book, item, { owner: `executor-${at}` })),
      );
      expect(answers.filter(({ kind }) => kind === "claimed")).toEqual([
        { kind: "claimed", fence: 1, epoch: 1 },
      ]);
      const held = answers.filter((answer) => answer.kind === "held");
      expect(held).toHaveLength(19);
      for (const { leaseMs } of held) expect(leaseMs).toBeGreaterThan(LEASE_MS - 5_000);
      expect(await book.told()).toEqual(["0 CLAIMED"]);
    });

    test("of a call that nobody granted is refused, and leaves no entry", async () => {
      expect(await claim(book, book.item(7))).toEqual({ kind: "refused", reason: "no_call" });
      expect(await stateOf(book.item(7))).toBeNull();
    });

    test.each(["SCHEMA_VALID", "AWAITING_APPROVAL", "DENIED", "QUARANTINED"])(
      "of a call in %s is refused",
      async (state) => {
        await book.call(item, { state });
        expect(await claim(book, item)).toEqual({ kind: "refused", reason: "superseded" });
        expect(await stateOf(item)).toBeNull();
      },
    );

    test("of a call that the validator has settled is refused", async () => {
      await book.call(item, { settled: "EXPIRED" });
      expect(await claim(book, item)).toEqual({ kind: "refused", reason: "superseded" });
      expect(await stateOf(item)).toBeNull();
    });

    test.each([
      ["an older", 1, 2],
      ["a later", 3, 2],
    ])("with %s grant than the call's is refused", async (_, used, granted) => {
      await book.call(item, { grant: granted });
      expect(await claim(book, item, { grant: used })).toEqual({ kind: "refused", reason: "superseded" });
      expect(await stateOf(item)).toBeNull();
    });

    test("with other arguments under a key that was used is key reuse, in every state", async () => {
      const reuse = { kind: "refused", reason: "key_reused" };
      const again = () => claim(book, item, { digest: OTHER_DIGEST });
      await claim(book, item);
      expect(await again()).toEqual(reuse);
      await book.ledger.begin(item, 1, BEGINNING);
      expect(await again()).toEqual(reuse);
      await book.ledger.end(item, 1, LOST);
      expect(await again()).toEqual(reuse);
      await book.ledger.reconcile(item, RECONCILER);
      await book.ledger.conclude(item, 2, EXECUTED);
      expect(await again()).toEqual(reuse);
      expect(await stateOf(item)).toBe("EXECUTED");
    });

    test("with an expired grant asks for a new one, and runs nothing", async () => {
      const answer = await claim(book, item, { expiresAt: (await book.now()) - 1 });
      expect(answer).toEqual({ kind: "regrant", fence: 0, errorClass: "GRANT_EXPIRED" });
      expect(await stateOf(item)).toBeNull();
      await book.call(item, { grant: 2 });
      expect(await claim(book, item, { grant: 2 })).toMatchObject({ kind: "claimed", fence: 1 });
    });

    test("with an expired decision ends the call", async () => {
      const now = await book.now();
      expect(await claim(book, item, { expiresAt: now - 2, notAfter: now - 1 })).toEqual({ kind: "settled" });
      expect(await book.ledger.read(item)).toMatchObject({ state: "EXPIRED", errorClass: "GRANT_EXPIRED" });
      expect(await claim(book, item)).toEqual({ kind: "settled" });
      expect(await book.told()).toEqual(["0 EXPIRED GRANT_EXPIRED"]);
    });

    test.each(["cancelled", "endedAt"] as const)("of a run that is %s ends the call", async (flag) => {
      await book.endRun(flag);
      expect(await claim(book, item)).toEqual({ kind: "settled" });
      expect(await book.ledger.read(item)).toMatchObject({ state: "CANCELLED", status: "refused" });
      expect(await book.told()).toEqual(["0 CANCELLED CANCELLED"]);
    });

    test("takes a fence above all that the executor's own log knows (row 22)", async () => {
      expect(await claim(book, item, { knownFence: 4 })).toMatchObject({ kind: "claimed", fence: 5 });
      await book.pass(AFTER_LEASE);
      await book.call(other, { grant: 1 });
      expect(await claim(book, item, { knownFence: 2, ...LONG })).toMatchObject({
        kind: "claimed",
        fence: 6,
      });
    });
  });

  describe("a job that is older than the ledger's memory", () => {
    test("is refused as too old, with or without a record of its call (row 27)", async () => {
      const notAfter = (await book.now()) - KEEP_MS - 1;
      const old = { kind: "refused", reason: "too_old" };
      expect(await claim(book, item, { expiresAt: notAfter, notAfter })).toEqual(old);
      expect(await claim(book, book.item(9), { expiresAt: notAfter, notAfter })).toEqual(old);
      expect(await stateOf(item)).toBeNull();
    });

    test("is never taken for new: its entry outlives the moment up to which it could be", async () => {
      const notAfter = (await book.now()) + 20 * DAY_MS;
      const long = { expiresAt: notAfter, notAfter };
      await started(book, item, long);
      await book.ledger.end(item, 1, OK);
      const kinds = new Set<string>();
      for (let day = 0; day < 60; day += 5) {
        const answer = await claim(book, item, long);
        kinds.add(answer.kind === "refused" ? answer.reason : answer.kind);
        await book.pass(5 * DAY_MS);
      }
      expect([...kinds]).toEqual(["settled", "too_old"]);
    });
  });

  describe("a lease that ran out", () => {
    test("in CLAIMED gives the call to the next one with a higher fence; the old holder can do nothing (rows 10, 20)", async () => {
      await claim(book, item, LONG);
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, { owner: "executor-2", ...LONG })).toEqual({
        kind: "claimed",
        fence: 2,
        epoch: 2,
      });
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("stale");
      expect(await book.ledger.renew(item, 1, LEASE_MS)).toBe(false);
      expect(await book.ledger.release(item, 1)).toBe(false);
      expect(await book.ledger.end(item, 1, DENIAL)).toBe(false);
      expect(await book.ledger.begin(item, 2, BEGINNING)).toBe("started");
      expect(await book.ledger.end(item, 1, OK)).toBe(false);
      expect(await book.ledger.unbegin(item, 1)).toBe(false);
      expect(await book.ledger.end(item, 2, OK)).toBe(true);
    });

    test("can't be begun under, renewed or given back, though nobody else has come", async () => {
      await claim(book, item, LONG);
      await book.pass(AFTER_LEASE);
      expect(await book.ledger.renew(item, 1, LEASE_MS)).toBe(false);
      expect(await book.ledger.release(item, 1)).toBe(false);
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("stale");
      expect(await stateOf(item)).toBe("CLAIMED");
    });

    test("in STARTED leaves a mutating call unknown; a late end is refused and kept as evidence (row 20)", async () => {
      await started(book, item, LONG);
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, { owner: "executor-2", ...LONG })).toEqual({
        kind: "unknown",
        fence: 1,
      });
      expect(await book.ledger.read(item)).toMatchObject({
        state: "OUTCOME_UNKNOWN",
        status: "unknown",
        fence: 1,
      });
      expect(await book.ledger.end(item, 1, OK)).toBe(false);
      expect(await book.ledger.keepEvidence(item, { fence: 1, status: "ok", contentDigest: DIGEST })).toBe(
        true,
      );
      expect(
        await book.ledger.keepEvidence(item, { fence: 1, status: "ok", contentDigest: OTHER_DIGEST }),
      ).toBe(false);
      const evidence = { fence: 1, status: "ok", contentDigest: DIGEST, at: expect.any(Number) };
      expect(await book.ledger.read(item)).toMatchObject({ state: "OUTCOME_UNKNOWN", evidence });
      expect(await claim(book, item, LONG)).toEqual({ kind: "unknown", fence: 1 });
      expect(await book.told()).toEqual(["0 CLAIMED", "0 STARTED", "0 OUTCOME_UNKNOWN OUTCOME_UNKNOWN"]);
    });

    test("in STARTED lets a read run again, under a new grant only", async () => {
      const again = { ...READ, ...LONG };
      await started(book, item, again);
      await book.pass(AFTER_LEASE);
      const regrant = { kind: "regrant", fence: 1, errorClass: "OUTCOME_UNKNOWN" };
      expect(await claim(book, item, again)).toEqual(regrant);
      expect(await claim(book, item, again)).toEqual(regrant);
      expect(await book.ledger.end(item, 1, OK)).toBe(false);
      await book.call(item, { grant: 2 });
      expect(await claim(book, item, { ...again, grant: 1 })).toEqual({
        kind: "refused",
        reason: "superseded",
      });
      expect(await claim(book, item, { ...again, grant: 2 })).toMatchObject({ kind: "claimed", fence: 2 });
      expect(await book.ledger.read(item)).not.toHaveProperty("errorClass");
    });

    test("in STARTED ends a lost read with its run, and asks for no further grant", async () => {
      const again = { ...READ, ...LONG };
      await started(book, item, again);
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, again)).toMatchObject({ kind: "regrant" });
      await book.endRun("cancelled");
      expect(await claim(book, item, again)).toEqual({ kind: "settled" });
      expect(await book.ledger.read(item)).toMatchObject({ state: "CANCELLED" });
    });

    test("in STARTED leaves an idempotent call unknown", async () => {
      const plain = { effect: "idempotent", ...LONG } as const;
      await started(book, item, plain);
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, plain)).toEqual({ kind: "unknown", fence: 1 });
    });

    test("on the workspace lets the next mutating call in", async () => {
      await claim(book, item, LONG);
      await book.pass(AFTER_LEASE);
      expect(await claim(book, other, LONG)).toEqual({ kind: "claimed", fence: 1, epoch: 2 });
      expect(await claim(book, item, LONG)).toMatchObject({ kind: "held" });
    });
  });

  describe("a renewal", () => {
    test("keeps call and workspace, and a stale fence keeps nothing", async () => {
      await claim(book, item, LONG);
      await book.pass(LEASE_MS / 2);
      expect(await book.ledger.renew(item, 1, LEASE_MS)).toBe(true);
      expect(await book.ledger.renew(item, 2, LEASE_MS)).toBe(false);
      expect(await book.ledger.renew(item, 0, LEASE_MS)).toBe(false);
      await book.pass(LEASE_MS / 2 + 1);
      expect(await claim(book, item, LONG)).toMatchObject({ kind: "held" });
      expect(await claim(book, other, LONG)).toMatchObject({ kind: "held" });
    });

    test("keeps a reconciler's lease", async () => {
      await started(book, item);
      await book.ledger.end(item, 1, LOST);
      await book.ledger.reconcile(item, RECONCILER);
      await book.pass(LEASE_MS / 2);
      expect(await book.ledger.renew(item, 2, LEASE_MS)).toBe(true);
      await book.pass(LEASE_MS / 2 + 1);
      expect(await book.ledger.reconcile(item, RECONCILER)).toMatchObject({ kind: "held" });
    });
  });

  test("a release gives the call back, and its fence is burned", async () => {
    await claim(book, item);
    expect(await book.ledger.release(item, 1)).toBe(true);
    expect(await stateOf(item)).toBe("POLICY_APPROVED");
    expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("stale");
    expect(await book.ledger.end(item, 1, DENIAL)).toBe(false);
    expect(await claim(book, item)).toMatchObject({ kind: "claimed", fence: 2 });
  });

  test("an attested start that ran nothing gives the call back; without a lease nobody can attest (row 12)", async () => {
    await started(book, item, LONG);
    expect(await book.ledger.unbegin(item, 1)).toBe(true);
    expect(await book.ledger.read(item)).not.toHaveProperty("expected");
    expect(await book.ledger.end(item, 1, OK)).toBe(false);
    expect(await claim(book, item, LONG)).toMatchObject({ kind: "claimed", fence: 2 });
    await book.ledger.begin(item, 2, BEGINNING);
    await book.pass(AFTER_LEASE);
    expect(await book.ledger.unbegin(item, 2)).toBe(false);
    expect(await stateOf(item)).toBe("STARTED");
  });

  describe("a begin", () => {
    test("happens once", async () => {
      await claim(book, item);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => book.ledger.begin(item, 1, BEGINNING)),
      );
      expect(answers.filter((answer) => answer === "started")).toHaveLength(1);
      expect(await book.told()).toEqual(["0 CLAIMED", "0 STARTED"]);
    });

    test.each(["cancelled", "endedAt"] as const)(
      "in a run that is %s by then ends the call (row 30)",
      async (flag) => {
        await claim(book, item);
        await book.endRun(flag);
        expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("settled");
        expect(await book.ledger.read(item)).toMatchObject({ state: "CANCELLED", errorClass: "CANCELLED" });
      },
    );

    test("that came before the cancel stays begun, and ends as it ends (row 30)", async () => {
      await started(book, item);
      await book.endRun("cancelled");
      expect(await book.ledger.end(item, 1, { ...OK, status: "cancelled", errorClass: "CANCELLED" })).toBe(
        true,
      );
      expect(await book.ledger.read(item)).toMatchObject({ state: "EXECUTED", status: "cancelled" });
    });

    test("does not begin a call that was settled while its claim was prepared, which was told of by then", async () => {
      await claim(book, item, READ);
      await book.call(item, { settled: "CANCELLED" });
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("settled");
      expect([await stateOf(item), await book.told()]).toEqual(["CANCELLED", ["0 CLAIMED"]]);
    });

    test("after the decision's end expires the call, though its lease lives", async () => {
      await claim(book, item, { notAfter: (await book.now()) + 1_000 });
      await book.pass(2_000);
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("settled");
      expect(await book.ledger.read(item)).toMatchObject({ state: "EXPIRED", errorClass: "GRANT_EXPIRED" });
    });

    test("without a claim is stale", async () => {
      expect(await book.ledger.begin(item, 0, BEGINNING)).toBe("stale");
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("stale");
      expect(await stateOf(item)).toBeNull();
    });
  });

  describe("an end", () => {
    test("again with the same content is the same end, with other content is none (rows 17, 18)", async () => {
      await started(book, item);
      expect(await book.ledger.end(item, 1, OK)).toBe(true);
      expect(await book.ledger.end(item, 1, OK)).toBe(true);
      expect(await book.ledger.end(item, 1, { ...OK, content: "else", contentDigest: OTHER_DIGEST })).toBe(
        false,
      );
      expect(await book.ledger.end(item, 2, OK)).toBe(false);
      expect(await book.result(item)).toBe(OK.content);
      expect(await claim(book, item)).toEqual({ kind: "settled" });
      expect(await book.told()).toEqual(["0 CLAIMED", "0 STARTED", "0 EXECUTED"]);
    });

    test("by the current fence counts, however late: a log that was replayed commits (row 16)", async () => {
      await started(book, item);
      await book.pass(DAY_MS);
      expect(await book.ledger.end(item, 1, OK)).toBe(true);
      expect(await stateOf(item)).toBe("EXECUTED");
    });

    test("by a stale fence is evidence beside the outcome, never the outcome (row 16)", async () => {
      await started(book, item);
      await book.ledger.end(item, 1, LOST);
      await book.ledger.reconcile(item, RECONCILER);
      expect(await book.ledger.end(item, 1, OK)).toBe(false);
      expect(await book.ledger.keepEvidence(item, { fence: 1, status: "ok", contentDigest: DIGEST })).toBe(
        true,
      );
      expect(await book.ledger.conclude(item, 2, { finding: "not_executed" })).toBe(true);
      expect(await book.ledger.read(item)).toMatchObject({
        state: "NOT_EXECUTED",
        status: "refused",
        evidence: { fence: 1, status: "ok", contentDigest: DIGEST },
      });
    });

    test("that nothing is known of leaves no evidence", async () => {
      expect(await book.ledger.keepEvidence(item, { fence: 1, status: "ok", contentDigest: null })).toBe(
        false,
      );
      expect(await stateOf(item)).toBeNull();
    });
  });

  describe("the workspace", () => {
    test("keeps two mutating calls apart and lets reads through", async () => {
      const third = book.item(2);
      await book.call(third, { grant: 1 });
      expect(await claim(book, item)).toMatchObject({ kind: "claimed" });
      expect(await claim(book, other)).toMatchObject({ kind: "held" });
      expect(await stateOf(other)).toBeNull();
      expect(await claim(book, third, READ)).toEqual({ kind: "claimed", fence: 1, epoch: null });
      await book.ledger.begin(item, 1, BEGINNING);
      expect(await claim(book, other)).toMatchObject({ kind: "held" });
      await book.ledger.end(item, 1, OK);
      expect(await claim(book, other)).toMatchObject({ kind: "claimed", epoch: 2 });
      // an end of a call that does not hold the workspace leaves it to its holder
      await book.ledger.begin(third, 1, BEGINNING);
      await book.ledger.end(third, 1, OK);
      expect(await book.ledger.begin(other, 1, BEGINNING)).toBe("started");
    });

    test("waits while somebody looks at an unknown call, is refused once only a person can say, and opens again", async () => {
      const third = book.item(2);
      await book.call(third, { grant: 1 });
      await started(book, item);
      await book.ledger.end(item, 1, LOST);
      expect(await claim(book, other)).toEqual({ kind: "held", leaseMs: LEASE_MS });
      await book.ledger.reconcile(item, RECONCILER);
      expect(await claim(book, other)).toMatchObject({ kind: "held" });
      await book.ledger.conclude(item, 2, { finding: "inconclusive" });
      expect(await claim(book, third, READ)).toMatchObject({ kind: "claimed" });
      expect(await claim(book, other)).toEqual({ kind: "settled" });
      expect(await book.ledger.read(other)).toMatchObject({
        state: "DENIED",
        errorClass: "WORKSPACE_FROZEN",
      });
      await book.ledger.resolve(item, { finding: "executed", by: "ada", reason: "the file is there" });
      const fourth = book.item(3);
      await book.call(fourth, { grant: 1 });
      expect(await claim(book, fourth)).toMatchObject({ kind: "claimed" });
    });

    test.each([
      ["done", EXECUTED],
      ["not done", { finding: "not_executed" }],
    ] as const)("opens when what was unknown is found %s", async (_, conclusion) => {
      await started(book, item);
      await book.ledger.end(item, 1, LOST);
      await book.ledger.reconcile(item, RECONCILER);
      await book.ledger.conclude(item, 2, conclusion);
      expect(await claim(book, other)).toMatchObject({ kind: "claimed" });
    });

    test("is not held by an unknown call that only reads", async () => {
      await started(book, item, READ);
      await book.ledger.end(item, 1, LOST);
      expect(await claim(book, other)).toMatchObject({ kind: "claimed" });
    });
  });

  describe("an unknown call", () => {
    test("that a reconciler died over is looked at again, by one at a time (row 32)", async () => {
      await started(book, item, LONG);
      await book.ledger.end(item, 1, LOST);
      const first = await book.ledger.reconcile(item, RECONCILER);
      expect(first).toMatchObject({ kind: "reconciling", fence: 2, entry: { expected: BEGINNING.expected } });
      expect(await book.ledger.reconcile(item, { ...RECONCILER, owner: "second" })).toMatchObject({
        kind: "held",
      });
      expect(await claim(book, item, LONG)).toMatchObject({ kind: "held" });
      await book.pass(AFTER_LEASE);
      expect(await claim(book, item, LONG)).toEqual({ kind: "unknown", fence: 2 });
      const second = await book.ledger.reconcile(item, { ...RECONCILER, owner: "second" });
      expect(second).toMatchObject({ kind: "reconciling", fence: 3, entry: { owner: "second" } });
      expect(await book.ledger.conclude(item, 2, { finding: "not_executed" })).toBe(false);
      expect(await book.ledger.conclude(item, 3, EXECUTED)).toBe(true);
      expect(await book.ledger.conclude(item, 3, EXECUTED)).toBe(true);
      const entry = await book.ledger.read(item);
      expect(entry).toMatchObject({ state: "EXECUTED", status: "ok", contentDigest: OTHER_DIGEST });
      expect(entry).not.toHaveProperty("errorClass");
      expect(entry).not.toHaveProperty("expected");
      expect(await book.result(item)).toBe("sealed finding");
    });

    test("that only a person can end is published as unknown, and ended once, with who and why", async () => {
      await needsPerson(book, item);
      expect(await book.ledger.read(item)).toMatchObject({
        state: "NEEDS_HUMAN",
        status: "unknown",
        published: true,
      });
      expect(await claim(book, item)).toEqual({ kind: "settled" });
      expect(await book.ledger.reconcile(item, RECONCILER)).toEqual({ kind: "settled" });
      const resolution = { finding: "not_executed", by: "ada", reason: "the branch is as it was" } as const;
      expect(await book.ledger.resolve(item, resolution)).toBe(true);
      expect(await book.ledger.resolve(item, resolution)).toBe(true);
      expect(await book.ledger.resolve(item, { ...resolution, finding: "executed" })).toBe(false);
      expect(await book.ledger.resolve(item, { ...resolution, by: "eve" })).toBe(false);
      const entry = await book.ledger.read(item);
      expect(entry).toMatchObject({ state: "NOT_EXECUTED", errorClass: "NOT_EXECUTED", resolution });
      expect(entry).not.toHaveProperty("expected");
      expect((await book.told()).slice(-2)).toEqual([
        "0 NEEDS_HUMAN OUTCOME_UNKNOWN",
        "0 NOT_EXECUTED NOT_EXECUTED",
      ]);
    });

    test.each(["STARTED", "OUTCOME_UNKNOWN", "NEEDS_HUMAN"])(
      "in %s stays until it is resolved",
      async (state) => {
        if (state === "NEEDS_HUMAN") await needsPerson(book, item);
        else await started(book, item);
        if (state === "OUTCOME_UNKNOWN") await book.ledger.end(item, 1, LOST);
        await book.pass(400 * DAY_MS);
        expect(await stateOf(item)).toBe(state);
      },
    );

    test("stays for its retention once it is resolved", async () => {
      await needsPerson(book, item);
      await book.pass(400 * DAY_MS);
      await book.ledger.resolve(item, { finding: "executed", by: "ada", reason: "seen" });
      await book.pass(KEEP_MS - DAY_MS);
      expect(await stateOf(item)).toBe("EXECUTED");
      await book.pass(DAY_MS + 1);
      expect(await stateOf(item)).toBeNull();
    });

    test("whose run is gone is still told as unknown when its job comes again", async () => {
      await started(book, item, LONG);
      await book.forgetRun();
      await book.pass(DAY_MS);
      expect(await claim(book, item, LONG)).toEqual({ kind: "unknown", fence: 1 });
    });
  });

  describe("a start that a write-ahead log tells of", () => {
    test("makes a call unknown that the ledger thinks granted, claimed, or has never seen", async () => {
      expect(await book.ledger.loseUnseen(item, { ...KNOWN_START, fence: 3 })).toBe(true);
      expect(await book.ledger.read(item)).toMatchObject({
        ...KNOWN_START,
        state: "OUTCOME_UNKNOWN",
        fence: 3,
        status: "unknown",
        unknownAt: expect.any(Number),
      });
      await claim(book, other);
      expect(await claim(book, other)).toMatchObject({ kind: "held" });
      expect(await claim(book, item)).toEqual({ kind: "unknown", fence: 3 });
    });

    test("takes a call that others have claimed meanwhile from them (row 23)", async () => {
      await claim(book, item, { owner: "executor-2" });
      expect(await book.ledger.loseUnseen(item, KNOWN_START)).toBe(true);
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("stale");
    });

    test("changes nothing where the ledger knows more, or other arguments", async () => {
      await started(book, item, READ);
      const known = { ...KNOWN_START, ...READ };
      expect(await book.ledger.loseUnseen(item, known)).toBe(false);
      await book.ledger.end(item, 1, LOST);
      // given up by the ledger itself, to be granted anew
      await claim(book, item, READ);
      expect(await stateOf(item)).toBe("POLICY_APPROVED");
      expect(await book.ledger.loseUnseen(item, known)).toBe(false);
      expect(await book.ledger.loseUnseen(item, { ...known, grant: 2, digest: OTHER_DIGEST })).toBe(false);
    });

    test("of a run of which nothing is left changes nothing", async () => {
      await book.forgetRun();
      expect(await book.ledger.loseUnseen(item, KNOWN_START)).toBe(false);
      expect(await stateOf(item)).toBeNull();
    });
  });
});

describe("the ledger in Redis", () => {
  beforeEach(() => open(() => openRedisBook(server.redis)));
  afterEach(expectNoLeaks);

  test("compares with no clock but Redis' own (row 26)", async () => {
    const now = await book.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now + 300 * DAY_MS });
    try {
      expect(await claim(book, item)).toMatchObject({ kind: "claimed" });
      expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("started");
      vi.setSystemTime(0);
      expect(await book.ledger.renew(item, 1, LEASE_MS)).toBe(true);
      expect(await claim(book, item)).toMatchObject({ kind: "held" });
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ["epoch", "2"],
    ["holder", "somebody else"],
  ])("begins nothing in a workspace whose %s is another by then", async (field, value) => {
    await claim(book, item);
    const { workspace } = runKeys(item.split(".")[0] ?? "");
    await server.redis.hset(workspace, field, value);
    expect(await book.ledger.begin(item, 1, BEGINNING)).toBe("settled");
    expect(await book.ledger.read(item)).toMatchObject({ state: "DENIED", errorClass: "WORKSPACE_STALE" });
  });

  test("lists what is unknown for people, until it is no more", async () => {
    await needsPerson(book, item);
    expect(await listedUnknowns(server.redis)).toEqual([item]);
    expect(await unknownOf(server.redis, other)).toEqual([item]);
    await book.ledger.resolve(item, { finding: "executed", by: "ada", reason: "seen" });
    expect(await listedUnknowns(server.redis)).toEqual([]);
    expect(await unknownOf(server.redis, other)).toEqual([]);
  });

  test("leaves nothing of a run behind that has ended, but the entries", async () => {
    const keys = runKeys(item.split(".")[0] ?? "");
    const keepUntil = (await book.now()) + DAY_MS;
    await started(book, item);
    await server.redis.hset(keys.run, { endedAt: 1, keepUntil });
    await book.ledger.end(item, 1, LOST);
    await book.ledger.reconcile(item, RECONCILER);
    await book.ledger.conclude(item, 2, { finding: "inconclusive" });
    for (const key of [keys.unknown, keys.frozen])
      expect(await server.redis.pexpiretime(key)).toBe(keepUntil);
    expect(await server.redis.pttl(keys.ledger(item))).toBe(-1);
    await book.forgetRun();
    await book.ledger.resolve(item, { finding: "executed", by: "ada", reason: "seen" });
    expect((await allKeys(server.redis)).filter((key) => key.startsWith("airlock:{"))).toEqual([
      keys.ledger(item),
    ]);
  });

  test("that is full begins nothing (row 31)", async () => {
    await claim(book, item);
    await server.redis.config("SET", "maxmemory", "1");
    try {
      await expect(book.ledger.begin(item, 1, BEGINNING)).rejects.toThrow(/OOM|maxmemory/);
    } finally {
      await server.redis.config("SET", "maxmemory", "0");
    }
    expect(await stateOf(item)).toBe("CLAIMED");
    expect(await createLedger(server.redis).begin(item, 1, BEGINNING)).toBe("started");
  });
});
