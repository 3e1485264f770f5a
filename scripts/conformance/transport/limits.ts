import type { ErrorClass } from "@airlock/core/fault";
import type { TransportEnd } from "@airlock/core/terminal";
import type { Book } from "../book.ts";
import { aside, refuses, sse, type ConformanceCase, type Expectation } from "../case.ts";
import { twoCalls } from "./expectations.ts";

/** Sizes, tools and schemas: what a call still has to fit after its response was read. */
export function limits(book: Book): readonly ConformanceCase[] {
  const { before, closing, expect } = book;
  const overflow = (errorClass: ErrorClass, end: TransportEnd): Expectation => ({
    ...refuses(errorClass, null),
    responseId: null,
    end,
  });
  return [
    sse("limit-message", "A message over the limit ends the reading.", {
      covers: ["C94"],
      content: before + closing,
      options: { limits: { maxMessageBytes: 32 } },
      expect: overflow("MESSAGE_TOO_LARGE", "message_overflow"),
    }),
    sse("limit-stream", "A stream over the limit ends the reading.", {
      covers: ["C94"],
      content: before + closing,
      options: { limits: { maxStreamBytes: 32 } },
      expect: overflow("STREAM_TOO_LARGE", "stream_overflow"),
    }),
    sse("limit-arguments", "Arguments over the limit set their call aside.", {
      covers: ["C94"],
      content: before + closing,
      options: { limits: { maxArgumentBytes: 4 } },
      expect: { ...expect, items: expect.items.map((item) => aside(item, "ARGUMENTS_TOO_LARGE")) },
    }),
    sse("limit-items", "More items than the limit make the response indeterminate.", {
      covers: ["C94"],
      content: before + closing,
      options: { limits: { maxItems: 0 } },
      expect: refuses("TOO_MANY_ITEMS", expect.raw),
    }),
    sse("tool-not-registered", "A call of a tool that is not registered is set aside.", {
      covers: ["C11"],
      content: before + closing,
      options: { tools: ["write_file"] },
      expect: { ...expect, items: expect.items.map((item) => aside(item, "TOOL_UNKNOWN")) },
    }),
    sse(
      "schema-failure",
      "Arguments that the tool's schema refuses are released to validation, and quarantined there.",
      {
        covers: [],
        content: book.calls('{"path":"a"}', '{"paths":["a"]}'),
        options: { tools: ["read_file"] },
        expect: {
          ...expect,
          items: secondInvalid(book),
          verdicts: ["SCHEMA_VALID", "SCHEMA_VIOLATION"],
        },
      },
    ),
  ];
}

function secondInvalid(book: Book): Expectation["items"] {
  const [first, second] = twoCalls(book, "a");
  return first === undefined || second === undefined
    ? []
    : [first, { ...second, arguments: { paths: ["a"] } }];
}
