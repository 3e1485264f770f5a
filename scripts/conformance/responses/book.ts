import type { Book } from "../book.ts";
import { runs } from "../case.ts";
import * as r from "./frames.ts";

export const RESPONSES_BOOK: Book = {
  family: "responses",
  before: r.FINISHED,
  closing: r.COMPLETED,
  expect: runs("completed", r.CALL_A),
  rawBeforeClosing: null,
  end: "closed_by_marker",
  whole: r.response([r.A]),
  calls: (...texts) => r.CREATED + texts.map((text, index) => streamed(index, text)).join("") + r.COMPLETED,
  wholeCalls: (...texts) => r.response(texts.map((text, index) => numbered(index, text))),
  callIds: ["call_1", "call_2"],
  argumentsAre: { streamed: "text", whole: "text" },
};

function numbered(index: number, text: string): object {
  return r.functionCall({ id: `fc_${index + 1}`, call_id: `call_${index + 1}`, arguments: text });
}

function streamed(index: number, text: string): string {
  return r.added(index, numbered(index, "")) + r.delta(index, text) + r.done(index, numbered(index, text));
}
