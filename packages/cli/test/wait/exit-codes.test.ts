import { exitCodeOf, exitCodes, WAIT_ENDS } from "../../src/wait/index.ts";
import { RUN_STATES } from "@airlock/core/run";
import { expect, test } from "vitest";

test("every ending has its own exit code, and only completed has 0", () => {
  const endings = Object.entries(RUN_STATES).filter(([, { final }]) => final);
  const codes = endings.map(([state]) => exitCodeOf(state));
  expect(new Set(codes).size).toBe(endings.length);
  expect(endings.filter(([state]) => exitCodeOf(state) === 0)).toEqual([["completed", RUN_STATES.completed]]);
  // 2 is for a command line that can't be used
  expect(codes).not.toContain(2);
});

test.each(["running", "queued", "awaiting_approval", "unheard_of"])(
  "%s is no ending: the code is 1",
  (state) => {
    expect(exitCodeOf(state)).toBe(1);
  },
);

test("an end of the waiting has a code that no ending of a run and no usage error has", () => {
  const codes = exitCodes().map(({ exitCode }) => exitCode);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).not.toContain(2);
  expect(WAIT_ENDS.approval_awaited.exitCode).toBe(10);
});
