import { ITEM_STATES, type ItemState } from "@airlock/core/call";
import { namesOf } from "@airlock/core/fault";
import type { Ending } from "@airlock/core/ledger";
import { describe, expect, test } from "vitest";
import { gapOf } from "../../src/durability/hold-against.ts";
import { floorOf } from "../../src/durability/sweep.ts";
import type { LoggedCall } from "../../src/durability/read-log.ts";

const ENDING: Ending = {
  transition: "commit",
  status: "ok",
  errorClass: null,
  detail: null,
  content: "sealed",
  contentDigest: "c",
  resultBytes: 3,
  durationMs: 4,
};
const started = {
  type: "started",
  itemKey: "i",
  fence: 3,
  at: 0,
  grant: 1,
  digest: "d",
  tool: "write_file",
  effect: "mutating",
  owner: "x",
} as const;
const BEGUN: LoggedCall = { started, committed: null };
const ENDED: LoggedCall = {
  started,
  committed: { type: "committed", itemKey: "i", fence: 3, at: 0, ending: ENDING },
};

/** What a log's start, and its end, mean beside each state of the same fence. */
const GAPS: Readonly<Partial<Record<ItemState, readonly [string, string]>>> = {
  POLICY_APPROVED: ["lose_unseen", "recover"],
  CLAIMED: ["lose_unseen", "recover"],
  STARTED: ["lose", "end"],
  OUTCOME_UNKNOWN: ["none", "recover"],
};

describe("what Redis has to be told of a logged call", () => {
  test.each(namesOf(ITEM_STATES))("beside %s", (state) => {
    const entry = { state, fence: 3 };
    const [begun, ended] = GAPS[state] ?? ["none", "keep_evidence"];
    expect([gapOf(BEGUN, entry, false), gapOf(ENDED, entry, false)]).toEqual([begun, ended]);
  });

  test("beside no entry at all", () => {
    expect([gapOf(BEGUN, null, false), gapOf(ENDED, null, false)]).toEqual(["lose_unseen", "recover"]);
  });

  test("is nothing of a start that still runs here, unless Redis forgot it", () => {
    expect(gapOf(BEGUN, { state: "STARTED", fence: 3 }, true)).toBe("none");
    expect(gapOf(BEGUN, { state: "CLAIMED", fence: 2 }, true)).toBe("lose_unseen");
  });

  test("is evidence at most beside a later fence, and nothing where it is the end already", () => {
    expect(gapOf(BEGUN, { state: "STARTED", fence: 4 }, false)).toBe("none");
    expect(gapOf(ENDED, { state: "STARTED", fence: 4 }, false)).toBe("keep_evidence");
    expect(gapOf(ENDED, { state: "EXECUTED", fence: 3, contentDigest: "c" }, false)).toBe("none");
  });
});

describe("an epoch's floor of fences", () => {
  const mark = (epoch: string, fenceFloor: number) => ({ epoch, fenceFloor });
  test.each([
    ["is none where nothing was before", [], 0],
    ["stays while the epoch does", [mark("e2", 7), mark("e2", 7)], 7],
    ["lies far above the last epoch's", [mark("e1", 0), mark("e0", 5)], 1_000_005],
    ["is the one that another executor of the epoch took", [mark("e1", 0), mark("e2", 1_000_000)], 1_000_000],
  ])("%s", (_, marks, floor) => {
    expect(floorOf(marks, "e2")).toBe(floor);
  });
});
