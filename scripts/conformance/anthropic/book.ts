import type { Book } from "../book.ts";
import { runs } from "../case.ts";
import * as a from "./frames.ts";

export const ANTHROPIC_BOOK: Book = {
  family: "anthropic",
  before: a.STARTED + a.ONE + a.stopReason("tool_use"),
  closing: a.STOPPED,
  expect: runs("tool_use", a.CALL_A),
  rawBeforeClosing: "tool_use",
  end: "closed_by_marker",
  whole: a.message([a.toolUse({ input: { path: "a" } })], "tool_use"),
  calls: (...texts) =>
    a.STARTED +
    texts.map((text, index) => a.call(index, { id: `call_${index + 1}` }, text)).join("") +
    a.ENDED,
  // The text stands in the body as it is, so that it can say what no value could.
  wholeCalls: (...texts) =>
    texts.reduce(
      (body, text, index) => body.replace(`"INPUT ${index}"`, () => text),
      JSON.stringify(
        a.message(
          texts.map((_, index) => a.toolUse({ id: `call_${index + 1}`, input: `INPUT ${index}` })),
          "tool_use",
        ),
        null,
        1,
      ),
    ),
  callIds: ["call_1", "call_2"],
  argumentsAre: { streamed: "text", whole: "object" },
};
