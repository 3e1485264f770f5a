import type { ItemState } from "@airlock/core/call";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openMemoryBook, openRedisBook, type Book } from "../support/ledger-book.ts";
import {
  BEGINNING,
  claim,
  DENIAL,
  EXECUTED,
  KNOWN_START,
  LEASE_MS,
  LOST,
  needsPerson,
  OK,
  RECONCILER,
  started,
} from "../support/ledger-case.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

type Act = (book: Book, item: string) => Promise<unknown>;

const unknown: Act = async (book, item) => {
  await started(book, item);
  await book.ledger.end(item, 1, LOST);
};
const reconciling: Act = async (book, item) => {
  await unknown(book, item);
  await book.ledger.reconcile(item, RECONCILER);
};
const claimed: Act = async (book, item) => {
  await book.call(item, { grant: 1 });
  await claim(book, item);
};

/** How an entry gets into each state that it can have; the highest fence that is known for it then. */
const STATES = {
  none: { fence: 0, reach: (book, item) => book.call(item, { grant: 1 }) },
  POLICY_APPROVED: {
    fence: 1,
    reach: async (book, item) => {
      await claimed(book, item);
      await book.ledger.release(item, 1);
    },
  },
  CLAIMED: { fence: 1, reach: claimed },
  STARTED: { fence: 1, reach: started },
  OUTCOME_UNKNOWN: { fence: 1, reach: unknown },
  RECONCILING: { fence: 2, reach: reconciling },
  NEEDS_HUMAN: { fence: 2, reach: needsPerson },
  EXECUTED: {
    fence: 1,
    reach: async (book, item) => {
      await started(book, item);
      await book.ledger.end(item, 1, { ...OK, contentDigest: "c".repeat(64) });
    },
  },
  NOT_EXECUTED: {
    fence: 2,
    reach: async (book, item) => {
      await reconciling(book, item);
      await book.ledger.conclude(item, 2, { finding: "not_executed" });
    },
  },
  DENIED: {
    fence: 1,
    reach: async (book, item) => {
      await claimed(book, item);
      await book.ledger.end(item, 1, { ...DENIAL, contentDigest: "d".repeat(64) });
    },
  },
  EXPIRED: {
    fence: 0,
    reach: async (book, item) => {
      await book.call(item, { grant: 1 });
      await claim(book, item, { notAfter: await book.now() });
    },
  },
  CANCELLED: {
    fence: 1,
    reach: async (book, item) => {
      await claimed(book, item);
      await book.call(item, { settled: "CANCELLED" });
      await book.ledger.begin(item, 1, BEGINNING);
    },
  },
} as const satisfies Record<string, { readonly fence: number; readonly reach: Act }>;
type From = keyof typeof STATES;

type Fenced = (book: Book, item: string, fence: number) => Promise<unknown>;
interface Move {
  readonly act: Fenced;
  readonly from: readonly From[];
  readonly to: ItemState;
  /** what is answered where nothing changes; left out: false */
  readonly otherwise?: unknown;
}

const anything = expect.anything();

/** What an executor can ask, from where it does something, and where that leads: written down once more. */
const MOVES: Readonly<Record<string, Move>> = {
  claim: {
    act: (book, item) => claim(book, item),
    from: ["none", "POLICY_APPROVED"],
    to: "CLAIMED",
    otherwise: anything,
  },
  "claim of an expired decision": {
    act: async (book, item) => claim(book, item, { notAfter: await book.now() }),
    from: ["none", "POLICY_APPROVED"],
    to: "EXPIRED",
    otherwise: anything,
  },
  release: {
    act: ({ ledger }, item, fence) => ledger.release(item, fence),
    from: ["CLAIMED"],
    to: "POLICY_APPROVED",
  },
  begin: {
    act: ({ ledger }, item, fence) => ledger.begin(item, fence, BEGINNING),
    from: ["CLAIMED"],
    to: "STARTED",
    otherwise: "stale",
  },
  unbegin: {
    act: ({ ledger }, item, fence) => ledger.unbegin(item, fence),
    from: ["STARTED"],
    to: "POLICY_APPROVED",
  },
  commit: {
    act: ({ ledger }, item, fence) => ledger.end(item, fence, OK),
    from: ["STARTED"],
    to: "EXECUTED",
  },
  lose: {
    act: ({ ledger }, item, fence) => ledger.end(item, fence, { ...LOST, contentDigest: "e".repeat(64) }),
    from: ["STARTED"],
    to: "OUTCOME_UNKNOWN",
  },
  deny: {
    act: ({ ledger }, item, fence) => ledger.end(item, fence, DENIAL),
    from: ["CLAIMED"],
    to: "DENIED",
  },
  loseUnseen: {
    act: ({ ledger }, item) => ledger.loseUnseen(item, KNOWN_START),
    from: ["none", "POLICY_APPROVED", "CLAIMED"],
    to: "OUTCOME_UNKNOWN",
  },
  reconcile: {
    act: ({ ledger }, item) => ledger.reconcile(item, RECONCILER),
    from: ["OUTCOME_UNKNOWN"],
    to: "RECONCILING",
    otherwise: anything,
  },
  "conclude executed": {
    act: ({ ledger }, item, fence) => ledger.conclude(item, fence, EXECUTED),
    from: ["RECONCILING"],
    to: "EXECUTED",
  },
  "conclude inconclusive": {
    act: ({ ledger }, item, fence) => ledger.conclude(item, fence, { finding: "inconclusive" }),
    from: ["RECONCILING"],
    to: "NEEDS_HUMAN",
    otherwise: anything,
  },
  "conclude not executed": {
    act: ({ ledger }, item, fence) => ledger.conclude(item, fence, { finding: "not_executed" }),
    from: ["RECONCILING"],
    to: "NOT_EXECUTED",
    otherwise: anything,
  },
  "resolve executed": {
    act: ({ ledger }, item) => ledger.resolve(item, { finding: "executed", by: "ada", reason: "seen" }),
    from: ["NEEDS_HUMAN"],
    to: "EXECUTED",
  },
  "resolve not executed": {
    act: ({ ledger }, item) => ledger.resolve(item, { finding: "not_executed", by: "ada", reason: "seen" }),
    from: ["NEEDS_HUMAN"],
    to: "NOT_EXECUTED",
  },
  renew: {
    act: async ({ ledger }, item, fence) => (await ledger.renew(item, fence, LEASE_MS)) && "renewed",
    from: [],
    to: "CLAIMED",
    otherwise: expect.toSatisfy((answer) => answer === false || answer === "renewed"),
  },
};

const CELLS = Object.keys(MOVES).flatMap((move) =>
  (Object.keys(STATES) as From[]).map((state) => [move, state] as const),
);

describe.each([
  ["in memory", openMemoryBook],
  ["in Redis", () => openRedisBook(server.redis)],
])("the ledger %s", (_, open) => {
  let book: Book;
  let item: string;
  beforeEach(async () => {
    book = await open();
    item = book.item(0);
  });

  test.each(CELLS)("%s, of a call in %s, goes where the table says, or nowhere", async (name, state) => {
    const move = MOVES[name];
    if (move === undefined) throw new Error(name);
    const { fence, reach } = STATES[state];
    await reach(book, item);
    const before = await book.ledger.read(item);
    expect(before?.state ?? "none").toBe(state);
    const told = await book.told();
    const answer = await move.act(book, item, fence);
    const after = await book.ledger.read(item);
    const news = (await book.told()).slice(told.length).map((line) => line.split(" ")[1]);
    if (move.from.includes(state)) {
      expect([after?.state, news]).toEqual([move.to, [move.to]]);
    } else {
      expect([{ ...after, leaseUntil: 0 }, news]).toEqual([{ ...before, leaseUntil: 0 }, []]);
      expect(answer).toEqual(move.otherwise ?? false);
    }
  });

  /** Those that compare a fence. */
  const FENCED = ["release", "begin", "unbegin", "commit", "lose", "deny", "renew"].concat(
    Object.keys(MOVES).filter((name) => name.startsWith("conclude")),
  );
  const STALE = FENCED.flatMap((name) =>
    (Object.keys(STATES) as From[]).flatMap((state) => [-1, 1].map((by) => [name, state, by] as const)),
  );

  test.each(STALE)(
    "%s, of a call in %s, by a fence that is off by %i, changes nothing",
    async (name, state, by) => {
      const { fence, reach } = STATES[state];
      await reach(book, item);
      const before = [await book.ledger.read(item), await book.told()];
      const answer = await MOVES[name]?.act(book, item, fence + by);
      expect([false, "stale"]).toContain(answer);
      expect([await book.ledger.read(item), await book.told()]).toEqual(before);
    },
  );
});
