import { describe, expect, test } from "vitest";
import type { ResponseReading, TerminalItem } from "@airlock/core/terminal";
import {
  added,
  CREATED,
  delta,
  done,
  ended,
  frame,
  functionCall,
  message,
  read,
  wholeCall,
} from "./streams.ts";

const CALL = functionCall({ arguments: '{"path":"a"}' });
const OTHER = functionCall({ id: "fc_2", call_id: "call_2", arguments: '{"path":"b"}' });
const FIRST = CREATED + wholeCall(0, CALL);
const ERROR = frame("error", { code: "server_error", message: "no" });

function readEarly(stream: string): {
  readonly early: readonly TerminalItem[];
  readonly reading: ResponseReading;
} {
  const early: TerminalItem[] = [];
  const reading = read(stream, "clean", { onItem: (item) => void early.push(item) });
  return { early, reading };
}

describe("a call that is whole before the response has ended", () => {
  test("is told of once, as the reading has it in the end", () => {
    const { early, reading } = readEarly(FIRST + wholeCall(1, OTHER) + ended("completed"));
    expect(reading.outcome).toEqual({ kind: "action_required", action: "tool" });
    expect(early).toEqual(reading.items);
  });

  test.each<[string, string, readonly number[]]>([
    ["while the response never ends", FIRST, [0]],
    ["behind a message that is whole", CREATED + done(0, message("hi")) + wholeCall(1, CALL), [1]],
    ["not while one before it is open", CREATED + added(0, CALL) + wholeCall(1, OTHER), []],
    [
      "together with the one that was open before it",
      CREATED + added(0, CALL) + wholeCall(1, OTHER) + done(0, CALL),
      [0, 1],
    ],
    ["not after an error", CREATED + ERROR + wholeCall(0, CALL), []],
    ["but no further one after an error", FIRST + ERROR + wholeCall(1, OTHER), [0]],
    [
      "not where its arguments contradict their fragments",
      CREATED + added(0, CALL) + delta(0, "{}") + done(0, CALL),
      [],
    ],
    ["not where it is not declared complete", CREATED + wholeCall(0, { ...CALL, status: "incomplete" }), []],
    ["not after the finishing signal", CREATED + ended("completed") + wholeCall(0, CALL), []],
    [
      "but not where it shares its call id with an earlier one",
      FIRST + wholeCall(1, { ...OTHER, call_id: "call_1" }),
      [0],
    ],
  ])("is told of: %s", (_, stream, ordinals) => {
    expect(readEarly(stream).early.map(({ ordinal }) => ordinal)).toEqual(ordinals);
  });

  test.each([
    ["an error", FIRST + ERROR + ended("completed"), "indeterminate"],
    ["a second end of the same call", FIRST + done(0, CALL) + ended("completed"), "indeterminate"],
    ["a cut response", FIRST, "indeterminate"],
    [
      "a used up budget",
      FIRST + ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
      "truncated",
    ],
  ])("is set aside in the reading after %s", (_, stream, outcome) => {
    const { early, reading } = readEarly(stream);
    expect(early).toMatchObject([{ ordinal: 0, state: "ITEM_TERMINAL" }]);
    expect(reading).toMatchObject({ outcome: { kind: outcome }, items: [{ state: "QUARANTINED" }] });
  });
});
