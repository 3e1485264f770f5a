import type { Book } from "../book.ts";
import { runs } from "../case.ts";
import * as c from "./frames.ts";

export const CHAT_BOOK: Book = {
  family: "chat",
  before:
    c.ROLE +
    c.calls(c.call(c.A, "read_file", "")) +
    c.calls(c.more(0, '{"path":')) +
    c.calls(c.more(0, '"a"}')) +
    c.finish("tool_calls"),
  closing: c.DONE,
  expect: runs("tool_calls", c.CALL_A),
  rawBeforeClosing: "tool_calls",
  end: "closed_by_marker",
  whole: c.completion(
    { tool_calls: [c.call({ id: "call_1", type: "function" }, "read_file", '{"path":"a"}')] },
    "tool_calls",
  ),
  calls: (...texts) => c.ROLE + c.calls(...texts.map((text, index) => numbered(index, text))) + c.CALLED,
  wholeCalls: (...texts) =>
    c.completion({ tool_calls: texts.map((text, index) => numbered(index, text)) }, "tool_calls"),
  callIds: ["call_1", "call_2"],
  argumentsAre: { streamed: "text", whole: "text" },
};

function numbered(index: number, text: string): object {
  return c.call({ index, id: `call_${index + 1}`, type: "function" }, "read_file", text);
}
