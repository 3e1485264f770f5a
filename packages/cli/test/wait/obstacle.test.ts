import type { RunEvent } from "@airlock/core/contract";
import { expect, test } from "vitest";
import { afterEvent, NO_OBSTACLES, obstacleLines } from "../../src/wait/index.ts";

const item = (itemKey: string, state: "AWAITING_APPROVAL" | "EXECUTED" | "DENIED"): RunEvent => ({
  type: "item_state",
  itemKey,
  state,
  tool: "run_command",
  rule: null,
  errorClass: null,
  bytes: null,
});
const PARKED: RunEvent = { type: "attempt_parked", turn: 1, attempt: 1, route: "r" };
const OPENED: RunEvent = { type: "attempt_opened", turn: 2, attempt: 1, reason: null };

const lines = (...events: readonly RunEvent[]) => obstacleLines(events.reduce(afterEvent, NO_OBSTACLES));
const asks = (key: string) =>
  `run_command waits for a person: airlock approvals show ${key}; then approve or deny it`;

test.each<readonly [string, readonly RunEvent[], readonly string[]]>([
  ["nothing has happened", [], []],
  [
    "two calls were parked",
    [item("a", "AWAITING_APPROVAL"), item("b", "AWAITING_APPROVAL")],
    [asks("a"), asks("b")],
  ],
  [
    "one of them was decided",
    [item("a", "AWAITING_APPROVAL"), item("b", "AWAITING_APPROVAL"), item("a", "DENIED")],
    [asks("b")],
  ],
  [
    "the same parking is told twice",
    [item("a", "AWAITING_APPROVAL"), item("a", "AWAITING_APPROVAL")],
    [asks("a")],
  ],
  ["no pool has an executor", [{ type: "pool_awaited" }], ["waits for an executor: airlock pools"]],
  ["a pool was found", [{ type: "pool_awaited" }, { type: "run_bound", pool: "p" }], []],
  ["the route is suspended", [PARKED], ["waits for route r, which is suspended: airlock routes"]],
  ["the route is tried again", [PARKED, { type: "attempt_begun", turn: 1, attempt: 1 }], []],
  ["the next turn began", [item("a", "AWAITING_APPROVAL"), OPENED], []],
])("where %s, a run waits for exactly what is still open", (_, events, expected) => {
  expect(lines(...events)).toEqual(expected);
});
