import type { ErrorClass } from "@airlock/core/fault";
import type { Book } from "../book.ts";
import { body, refuses, sse, type ConformanceCase, type Expectation } from "../case.ts";
import { doubted, unclosed } from "./expectations.ts";

/** What is no stream of the family at all. */
export function noStream(book: Book): readonly ConformanceCase[] {
  const { expect } = book;
  const nothing = (errorClass: ErrorClass, end: Expectation["end"]): Expectation => ({
    ...refuses(errorClass, null),
    responseId: null,
    ...(end === undefined ? {} : { end }),
  });
  return [
    sse("c87-page", "A page of markup is refused before anything is decoded.", {
      covers: ["C87", "C88"],
      content: "<!DOCTYPE html>\n<html><body>Maintenance</body></html>\n",
      expect: nothing("BAD_CONTENT_TYPE", "bad_content_type"),
    }),
    sse("c88-error-body", "An error body where a stream was asked for is an error.", {
      covers: ["C88"],
      content: '{"error":{"message":"no such model","code":"not_found"}}\n',
      expect: nothing("PROVIDER_ERROR", "clean"),
    }),
    sse("c88-whole-body", "A whole body where a stream was asked for is read as one.", {
      covers: ["C88", "C22"],
      content: `${JSON.stringify(book.whole)}\n`,
      expect: { ...expect, end: "clean" },
    }),
    body("book", "A whole body with one call gives what its stream gives.", {
      covers: [],
      value: book.whole,
      expect,
    }),
    body("cut-body", "A whole body that is cut is nothing.", {
      covers: ["C91"],
      value: JSON.stringify(book.whole).slice(0, -3),
      expect: nothing("STREAM_MALFORMED", undefined),
    }),
    sse("c89-nothing", "No bytes at all are an empty stream.", {
      covers: ["C89"],
      content: "",
      expect: nothing("EMPTY_STREAM", "clean"),
    }),
    sse("c89-comments-only", "Comments alone are an empty stream.", {
      covers: ["C89"],
      content: ": ping\n\n: ping\n\n",
      expect: nothing("EMPTY_STREAM", "clean"),
    }),
    sse("c89-done-only", "[DONE] alone is an empty stream.", {
      covers: ["C89"],
      content: "data: [DONE]\n\n",
      expect: nothing("EMPTY_STREAM", book.family === "chat" ? "closed_by_marker" : "clean"),
    }),
    sse("c93-redirect", "A redirect is never followed: nothing of it is read.", {
      covers: ["C93"],
      content: "",
      options: { end: "http_error" },
      expect: nothing("HTTP_ERROR", "http_error"),
    }),
    sse("c92-first-byte-never", "A first byte that never comes ends the attempt.", {
      covers: ["C92"],
      content: "",
      options: { end: "first_byte_timeout" },
      expect: nothing("FIRST_BYTE_TIMEOUT", "first_byte_timeout"),
    }),
  ];
}

/** How a connection ends. */
export function endings(book: Book): readonly ConformanceCase[] {
  const { before, closing } = book;
  const rows = [
    [
      "c90-reset",
      "A connection that breaks before the end leaves nothing that counts.",
      "C90",
      "reset",
      "STREAM_RESET",
    ],
    [
      "c91-decoder-error",
      "Compression that breaks off is a broken connection.",
      "C91",
      "reset",
      "STREAM_RESET",
    ],
    [
      "c92-idle",
      "A stream that falls silent leaves nothing that counts.",
      "C92",
      "idle_timeout",
      "IDLE_TIMEOUT",
    ],
    [
      "c92-heartbeats-only",
      "A stream that only keeps alive until its time is up leaves nothing.",
      "C92",
      "total_timeout",
      "TOTAL_TIMEOUT",
    ],
  ] as const;
  const cut = rows.map(([name, title, covers, end, errorClass]) =>
    sse(name, title, {
      covers: [covers],
      content: name === "c92-heartbeats-only" ? `${before}${": ping\n\n".repeat(9)}` : before,
      options: { end },
      expect: unclosed(book, errorClass, end),
    }),
  );
  const late = book.end === "closed_by_marker" ? book.expect : doubted(book, "STREAM_RESET");
  return [
    ...cut,
    sse("cancelled", "A person who cancels leaves nothing that counts.", {
      covers: [],
      content: before,
      options: { end: "cancelled" },
      expect: unclosed(book, "CANCELLED", "cancelled"),
    }),
    sse(
      "c90-reset-after-the-end",
      "After the closing marker a broken connection changes nothing; without one it does.",
      {
        covers: ["C90"],
        content: before + closing,
        options: { end: "reset" },
        expect: book.end === "closed_by_marker" ? late : { ...late, end: "reset" },
      },
    ),
  ];
}
