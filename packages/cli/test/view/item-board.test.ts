import type { RunEvent } from "@airlock/core/contract";
import { describe, expect, test } from "vitest";
import { createItemBoard } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

type ItemEvent = Extract<RunEvent, { type: "item_state" }>;

function item(state: ItemEvent["state"], more: Partial<ItemEvent> = {}): RunEvent {
  const empty = { tool: null, rule: null, errorClass: null, bytes: null };
  return { type: "item_state", itemKey: "rx.1.1.2", state, ...empty, ...more };
}

const CUT: readonly RunEvent[] = [
  { type: "attempt_begun", turn: 1, attempt: 1 },
  item("QUARANTINED", { errorClass: "ITEM_INCOMPLETE", bytes: 238 }),
  item("QUARANTINED", { errorClass: "ITEM_INCOMPLETE", tool: "write_file" }),
  { type: "attempt_opened", turn: 1, attempt: 2, reason: "STREAM_TRUNCATED" },
];
const EXECUTED: readonly RunEvent[] = [
  item("ITEM_TERMINAL", { bytes: 10 }),
  item("PARSED", { tool: "read_file" }),
  item("POLICY_APPROVED", { tool: "read_file", rule: "read-files" }),
  item("EXECUTED", { bytes: 7 }),
];

function shown(events: readonly RunEvent[], terminal: boolean): string {
  const screen = paper(terminal);
  const board = createItemBoard(screen);
  for (const event of events) board.show(event);
  board.close();
  return screen.text();
}

/** What a terminal shows in the end: each redraw clears the lines that it counts. */
function leftOnTerminal(text: string): readonly string[] {
  const lines: string[] = [];
  // oxlint-disable-next-line no-control-regex -- a redraw begins with control characters
  for (const [, up, rest] of text.matchAll(/(?:\u001b\[(\d+)A\u001b\[0J)?([^\u001b]*)/g)) {
    lines.splice(lines.length - Number(up ?? 0));
    lines.push(...(rest ?? "").split("\n").slice(0, -1));
  }
  return lines;
}

describe("the board of items", () => {
  test("gives each new state a line where there is no terminal", () => {
    expect(shown(EXECUTED, false)).toBe(
      [
        "  1.1.2 call  ITEM_TERMINAL (10 bytes)",
        "  1.1.2 read_file  ITEM_TERMINAL → PARSED",
        "  1.1.2 read_file  PARSED → POLICY_APPROVED (read-files)",
        "  1.1.2 read_file  POLICY_APPROVED → EXECUTED (7 bytes)",
        "",
      ].join("\n"),
    );
  });

  test("leaves one line per item on a terminal, with its whole way", () => {
    expect(leftOnTerminal(shown(EXECUTED, true))).toEqual([
      "  1.1.2 read_file  ITEM_TERMINAL → PARSED → POLICY_APPROVED → EXECUTED (7 bytes)",
    ]);
  });

  test("names a state once when two processes tell of it", () => {
    expect(leftOnTerminal(shown(CUT, true))).toEqual([
      "turn 1: attempt 1 streams",
      "  1.1.2 write_file  QUARANTINED (ITEM_INCOMPLETE)",
      "turn 1: attempt 2 asked for, because the last one ended with STREAM_TRUNCATED",
    ]);
    expect(shown(CUT, false)).toContain("  1.1.2 write_file  QUARANTINED (ITEM_INCOMPLETE)\n");
  });

  test("leaves what never ended when it is closed", () => {
    expect(leftOnTerminal(shown([item("STARTED", { tool: "run_command" })], true))).toEqual([
      "  1.1.2 run_command  STARTED",
    ]);
  });
});
