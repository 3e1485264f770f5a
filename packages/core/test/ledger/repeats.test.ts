import { ITEM_STATES, type ItemState } from "@airlock/core/call";
import { effectDigest, standingOf, type LedgerEntry } from "@airlock/core/ledger";
import { describe, expect, test } from "vitest";

const NOW = 1_000_000;
const RUN = "r0123456789abcdefghjk";
const CALL = { itemKey: `${RUN}.2.2.0`, now: NOW };

function entry(state: ItemState, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    state,
    fence: 1,
    owner: "e",
    grant: 1,
    digest: "d",
    tool: "write_file",
    effect: "mutating",
    leaseUntil: NOW,
    ...change,
  };
}
const LIVE = { leaseUntil: NOW + 5 };
const held = { kind: "held", leaseMs: 5 };
const repeated = { kind: "repeated" };
const free = { kind: "free" };

/** Every state of an entry, with its lease over and with its lease alive. */
const STATES: Readonly<Partial<Record<ItemState, readonly [over: object, alive: object]>>> = {
  POLICY_APPROVED: [free, free],
  CLAIMED: [free, held],
  STARTED: [repeated, held],
  OUTCOME_UNKNOWN: [repeated, repeated],
  RECONCILING: [repeated, held],
  NEEDS_HUMAN: [repeated, repeated],
  EXECUTED: [free, free],
  NOT_EXECUTED: [free, free],
  DENIED: [free, free],
  EXPIRED: [free, free],
  CANCELLED: [free, free],
};

test.each(Object.keys(ITEM_STATES) as ItemState[])(
  "a call of another turn in %s stands as the table says",
  (state) => {
    const owner = `${RUN}.1.1.0`;
    const [over, alive] = STATES[state] ?? [free, free];
    expect(standingOf(CALL, { itemKey: owner, entry: entry(state) })).toEqual(over);
    expect(standingOf(CALL, { itemKey: owner, entry: entry(state, LIVE) })).toEqual(alive);
  },
);

describe("a call that was executed", () => {
  test.each([
    ["in an older attempt of the turn", `${RUN}.2.1.0`, {}, repeated],
    ["in the same attempt", `${RUN}.2.2.1`, {}, free],
    ["in a newer attempt of the turn", `${RUN}.2.3.0`, {}, free],
    ["in an earlier turn", `${RUN}.1.1.0`, {}, free],
    ["in the same turn of another run", "r1123456789abcdefghjk.2.1.0", {}, free],
    [
      "in an earlier turn, once the model had been told that nobody knows",
      `${RUN}.1.1.0`,
      { published: true },
      repeated,
    ],
  ] as const)("%s", (_, itemKey, change, standing) => {
    expect(standingOf(CALL, { itemKey, entry: entry("EXECUTED", change) })).toEqual(standing);
  });

  test("and is forgotten is no obstacle", () => {
    expect(standingOf(CALL, { itemKey: `${RUN}.1.1.0`, entry: null })).toEqual(free);
  });
});

describe("the digest of an effect", () => {
  const push = { run: RUN, source: "/srv/app", tool: "git_push", args: { branch: "main", remote: "origin" } };

  test("knows a push by its repository, and what stays in the workspace by its run", () => {
    const other = { run: "r1123456789abcdefghjk" };
    expect(effectDigest({ ...push, ...other })).toBe(effectDigest(push));
    expect(effectDigest({ ...push, source: "/srv/b" })).not.toBe(effectDigest(push));
    const write = { ...push, tool: "write_file" };
    expect(effectDigest({ ...write, ...other })).not.toBe(effectDigest(write));
    expect(effectDigest({ ...write, source: "/srv/b" })).toBe(effectDigest(write));
  });

  test("is one for arguments in any order, and another for any other argument", () => {
    expect(effectDigest({ ...push, args: { remote: "origin", branch: "main" } })).toBe(effectDigest(push));
    expect(effectDigest({ ...push, args: { branch: "dev", remote: "origin" } })).not.toBe(effectDigest(push));
  });
});
