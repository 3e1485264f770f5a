import type { Book } from "../book.ts";
import { runs } from "../case.ts";
import * as g from "./frames.ts";

export const GEMINI_BOOK: Book = {
  family: "gemini",
  before: g.parts(g.read("a")),
  closing: g.STOP,
  expect: runs("STOP", g.CALL_A),
  rawBeforeClosing: null,
  end: "clean",
  whole: g.response([g.read("a")], "STOP"),
  calls: (...texts) => filled(g.parts(...placeholders(texts)), texts) + g.STOP,
  wholeCalls: (...texts) => filled(JSON.stringify(g.response(placeholders(texts), "STOP"), null, 1), texts),
  callIds: [null, null],
  argumentsAre: { streamed: "object", whole: "object" },
};

function placeholders(texts: readonly string[]): readonly object[] {
  return texts.map((_, index) => g.call({ name: "read_file", args: `ARGS ${index}` }));
}

/** The text stands in the frame as it is, so that it can say what no value could. */
function filled(frame: string, texts: readonly string[]): string {
  return texts.reduce((result, text, index) => result.replace(`"ARGS ${index}"`, () => text), frame);
}
