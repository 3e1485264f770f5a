import type { Conclusion, Ledger } from "@airlock/core/ledger";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMemoryBook, openRedisBook, type Book } from "../support/ledger-book.ts";
import {
  BEGINNING,
  claim,
  DAY_MS,
  DENIAL,
  DIGEST,
  EXECUTED,
  KNOWN_START,
  LEASE_MS,
  LOST,
  OK,
  OTHER_DIGEST,
  RECONCILER,
} from "../support/ledger-case.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

/** Calls of one run: what differs in how the ledger treats them. */
const CALLS = [
  { effect: "mutating", tool: "write_file" },
  { effect: "mutating", tool: "apply_patch" },
  { effect: "read", tool: "read_file" },
  { effect: "idempotent", tool: "deploy" },
] as const;

/** One step: what is done to which call; `fence` is off from the current one by so much. */
interface Step {
  readonly act: Act;
  readonly at: number;
  readonly off: number;
  readonly other: boolean;
}
type Act = (book: Book, step: Step & { readonly key: string; readonly fence: number }) => Promise<unknown>;

function onLedger(act: (ledger: Ledger, step: Parameters<Act>[1]) => Promise<unknown>): Act {
  return ({ ledger }, step) => act(ledger, step);
}

/** Claims with a grant of its own, or with one that the validator knows nothing of. */
const claimIt =
  (change: Parameters<typeof claim>[2] = {}): Act =>
  async (book, { key, at, fence, other }) => {
    if (!other) await book.call(key, { grant: fence + 1 });
    const more = { ...CALLS[at], grant: fence + 1, owner: `executor-${other}`, ...change };
    return claim(book, key, more);
  };

/** Begun and lost, if nothing is in the way, so that walks get that far. */
const beginAndLose: Act = async (book, step) => {
  const answers = [await claimIt()(book, step)];
  const fence = (await book.ledger.read(step.key))?.fence ?? 0;
  await book.ledger.begin(step.key, fence, BEGINNING);
  await book.ledger.end(step.key, fence, LOST);
  return answers;
};

/** Looked at, with this finding. */
const lookInto =
  (conclusion: Conclusion): Act =>
  async ({ ledger }, { key }) => {
    const answer = await ledger.reconcile(key, RECONCILER);
    return answer.kind === "reconciling" && (await ledger.conclude(key, answer.fence, conclusion));
  };

const ACTS: readonly [number, string, Act][] = [
  [12, "claim", claimIt()],
  [1, "claim knowing more", claimIt({ knownFence: 3 })],
  [1, "claim other arguments", claimIt({ digest: OTHER_DIGEST })],
  [1, "claim with an old grant", claimIt({ expiresAt: 1 })],
  [1, "claim with an old decision", claimIt({ notAfter: 1 })],
  [12, "begin", onLedger((ledger, { key, fence }) => ledger.begin(key, fence, BEGINNING))],
  [2, "unbegin", onLedger((ledger, { key, fence }) => ledger.unbegin(key, fence))],
  [2, "release", onLedger((ledger, { key, fence }) => ledger.release(key, fence))],
  [3, "renew", onLedger((ledger, { key, fence }) => ledger.renew(key, fence, LEASE_MS))],
  [
    4,
    "commit",
    onLedger((ledger, { key, fence, other }) =>
      ledger.end(key, fence, { ...OK, contentDigest: other ? OTHER_DIGEST : DIGEST }),
    ),
  ],
  [1, "deny", onLedger((ledger, { key, fence }) => ledger.end(key, fence, DENIAL))],
  [4, "lose", onLedger((ledger, { key, fence }) => ledger.end(key, fence, LOST))],
  [
    2,
    "lose unseen",
    onLedger((ledger, { key, at, fence }) =>
      ledger.loseUnseen(key, { ...KNOWN_START, ...pick(at), fence, grant: fence }),
    ),
  ],
  [4, "reconcile", onLedger((ledger, { key }) => ledger.reconcile(key, RECONCILER))],
  [3, "find it done", onLedger((ledger, { key, fence }) => ledger.conclude(key, fence, EXECUTED))],
  [
    2,
    "find it undone",
    onLedger((ledger, { key, fence }) => ledger.conclude(key, fence, { finding: "not_executed" })),
  ],
  [
    5,
    "find nothing",
    onLedger((ledger, { key, fence }) => ledger.conclude(key, fence, { finding: "inconclusive" })),
  ],
  [
    3,
    "resolve",
    onLedger((ledger, { key, other }) =>
      ledger.resolve(key, { finding: other ? "executed" : "not_executed", by: "ada", reason: "looked" }),
    ),
  ],
  [
    2,
    "late result",
    onLedger((ledger, { key, fence }) =>
      ledger.keepEvidence(key, { fence: Math.max(0, fence), status: "ok", contentDigest: DIGEST }),
    ),
  ],
  [6, "begin and lose", beginAndLose],
  [1, "look and find it done", lookInto(EXECUTED)],
  [1, "look and find it undone", lookInto({ finding: "not_executed" })],
  [3, "look and find nothing", lookInto({ finding: "inconclusive" })],
  [5, "a lease passes", (book) => book.pass(2 * LEASE_MS)],
  [1, "a decision passes", (book) => book.pass(20 * LEASE_MS)],
  [1, "the retention passes", (book) => book.pass(31 * DAY_MS)],
  [1, "settle", (book, { key }) => book.call(key, { settled: "DENIED" })],
];

function pick(at: number): { readonly tool: string; readonly effect: "read" | "idempotent" | "mutating" } {
  const { tool, effect } = CALLS[at] ?? CALLS[0];
  return { tool, effect };
}

const step = fc.record({
  name: fc.oneof(...ACTS.map(([weight, name]) => ({ weight, arbitrary: fc.constant(name) }))),
  at: fc.nat({ max: CALLS.length - 1 }),
  off: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
  other: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

/** Without times of day: the two clocks are not the same. Durations are as good as equal. */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (name: string, inner: unknown) =>
      ["leaseMs", "leaseUntil", "notAfter", "startedAt", "unknownAt", "at"].includes(name)
        ? Math.sign(Number(inner))
        : inner,
    ),
  );
}

test("in any order of what executors, reconcilers and people do, Redis and memory say the same", async () => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
    const books = [await openMemoryBook(), await openRedisBook(server.redis)] as const;
    const keys = books.map((book) => CALLS.map((_, at) => book.item(at)));
    for (const book of books) for (const at of CALLS.keys()) await book.call(book.item(at), { grant: 1 });
    for (const { name, at, off, other } of steps) {
      const act = ACTS.find(([, known]) => known === name)?.[2];
      if (act === undefined) throw new Error(name);
      const fence = ((await books[0].ledger.read(books[0].item(at)))?.fence ?? 0) + off;
      const answers: unknown[] = [];
      for (const [place, book] of books.entries()) {
        const key = keys[place]?.[at] ?? "";
        const answer = await act(book, { act, key, at, off, other, fence });
        const entry = await book.ledger.read(key);
        if (place === 0) seen.add(entry?.state ?? "none");
        answers.push(timeless({ name, at, answer, entry, result: await book.result(key) }));
      }
      expect(answers[1]).toEqual(answers[0]);
    }
    expect(await books[1].told()).toEqual(await books[0].told());
    await server.redis.flushall();
  });
  await fc.assert(property, { numRuns: 150 });
  // a walk that never got anywhere would show nothing
  const reached = "none POLICY_APPROVED CLAIMED STARTED EXECUTED DENIED EXPIRED OUTCOME_UNKNOWN RECONCILING";
  const deep = ["NEEDS_HUMAN", "NOT_EXECUTED"];
  expect([...seen]).toEqual(expect.arrayContaining([...reached.split(" "), ...deep]));
});
