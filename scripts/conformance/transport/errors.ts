import type { Book } from "../book.ts";
import { sse, type ConformanceCase } from "../case.ts";
import { doubted } from "./expectations.ts";

interface ErrorShape {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly string[];
  readonly frame: string;
}

function shape(name: string, title: string, frame: string): ErrorShape {
  return { name, title, covers: name.startsWith("c84") ? ["C84", "C41"] : ["C41"], frame };
}

/** What is an error in every family, wherever it stands. */
export const ERROR_SHAPES: readonly ErrorShape[] = [
  shape(
    "c41-error-frame",
    "An error frame holds, and a normal ending behind it changes nothing.",
    'data: {"error":{"message":"over","code":null}}\n\n',
  ),
  shape("c41-error-in-a-list", "So does one in a list.", 'data: [{"error":{"message":"over"}}]\n\n'),
  shape(
    "c41-error-late-in-a-list",
    "So does one that is not the first of its list.",
    'data: [{"detail":"x"},{"error":{"message":"over"}}]\n\n',
  ),
  shape("c41-error-type-dotted", "So does a type that ends in error.", 'data: {"type":"response.error"}\n\n'),
  shape(
    "c41-error-event-dotted",
    "An event whose name ends in error is one.",
    'event: response.error\ndata: {"code":"x","message":"over"}\n\n',
  ),
  ...(
    [
      ["string", '"overloaded"'],
      ["null", "null"],
      ["list", '[{"message":"over"}]'],
      ["marker", "[DONE]"],
      ["prose", "overloaded"],
      ["nothing", ""],
    ] as const
  ).map(([name, data]) =>
    shape(
      `c41-error-event-${name}`,
      `An event named error is one, though its data is ${name === "nothing" ? name : `a ${name}`}.`,
      `event: error\ndata: ${data}\n\n`,
    ),
  ),
  shape(
    "c84-bare-error",
    "A line of JSON with an error, outside any field, is an error.",
    '{"error":{"message":"bad gateway"}}\n\n',
  ),
  shape(
    "c84-bare-error-lines",
    "An error in several lines outside any field is one error.",
    '{\n  "error": {\n    "code": 503,\n    "message": "over"\n  }\n}\n\n',
  ),
  shape("c84-bare-error-list", "A list with one, outside any field, is one.", '[{"error":{"code":500}}]\n\n'),
  shape(
    "c84-bare-error-list-lines",
    "A list in several lines is one, too.",
    '[{\n  "error": {\n    "code": 503\n  }\n}\n]\n\n',
  ),
];

export function errorFrames(book: Book): readonly ConformanceCase[] {
  return ERROR_SHAPES.map(({ name, title, covers, frame }) =>
    sse(name, title, {
      covers,
      content: book.before + frame + book.closing,
      expect: doubted(book, "PROVIDER_ERROR"),
    }),
  );
}
