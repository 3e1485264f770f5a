import type { Book } from "../book.ts";
import { sse, type ConformanceCase } from "../case.ts";
import { doubted, twoCalls, unclosed } from "./expectations.ts";

/** How lines, messages and characters may come. */
export function framing(book: Book): readonly ConformanceCase[] {
  const { before, closing, expect } = book;
  const stream = plain(before + closing);
  const [first = "", ...rest] = stream.split(/(?<=\n\n)/);
  const variant = (
    name: string,
    title: string,
    covers: readonly string[],
    content: string,
  ): ConformanceCase => sse(name, title, { covers, content, expect });
  return [
    variant(
      "c78-comments",
      "Comments that keep a connection alive change nothing, wherever they stand.",
      ["C78"],
      `: OPENROUTER PROCESSING\n\n${first}: ping\n\n:\n${rest.join(":\n\n")}`,
    ),
    variant("c80-crlf", "Lines may end in CR LF.", ["C80"], stream.replaceAll("\n", "\r\n")),
    variant("c80-cr", "Lines may end in CR alone.", ["C80"], stream.replaceAll("\n", "\r")),
    variant(
      "c80-no-space",
      "No space has to follow the colon.",
      ["C80"],
      stream.replaceAll(/^(data|event): /gm, "$1:"),
    ),
    variant(
      "c81-byte-order-mark",
      "One byte order mark at the beginning is stripped.",
      ["C81"],
      `\uFEFF${stream}`,
    ),
    variant(
      "c82-multi-line-data",
      "The lines of one message's data belong together.",
      ["C82"],
      stream.replaceAll(/^(data: \{[^,\n]*,)(?=")/gm, "$1\ndata: "),
    ),
    variant("c83-no-last-blank-line", "The last blank line may be missing.", ["C83"], stream.trimEnd()),
    sse("c83-last-frame-cut", "A last frame that is cut is no frame.", {
      covers: ["C83"],
      content: stream.trimEnd().slice(0, -1),
      expect: unclosed(book, "STREAM_TRUNCATED", "mid_line"),
    }),
    sse("c84-bare-json", "A line of any other JSON outside a field can't be trusted, either.", {
      covers: ["C84"],
      content: `${before}{"detail":"who wrote this"}\n\n${closing}`,
      expect: doubted(book, "STREAM_MALFORMED"),
    }),
    sse("c84-bare-json-list", "Nor can a list that is no error.", {
      covers: ["C84"],
      content: `${before}[1]\n\n${closing}`,
      expect: doubted(book, "STREAM_MALFORMED"),
    }),
    variant(
      "c36-done-bare",
      "The marker outside its field is nothing.",
      ["C36"],
      `${before}[DONE]\n\n${closing}`,
    ),
    sse("frame-of-broken-json", "A frame of broken JSON makes the response indeterminate.", {
      covers: [],
      content: `${before}data: {"a":\n\n${closing}`,
      expect: doubted(book, "STREAM_MALFORMED"),
    }),
    sse("frame-of-a-list", "A frame that is a list without an error is no frame.", {
      covers: [],
      content: `${before}data: [{"a":1}]\n\n${closing}`,
      expect: doubted(book, "STREAM_MALFORMED"),
    }),
    sse("c36-done-appended", "A [DONE] before the end is no signal of a family that has none.", {
      covers: ["C36"],
      content: book.family === "chat" ? before + closing + closing : `${before}data: [DONE]\n\n${closing}`,
      expect,
    }),
  ];
}

export function encoding(book: Book): readonly ConformanceCase[] {
  const { before, closing, expect } = book;
  return [
    sse("c85-split-characters", "Characters of several bytes survive any split.", {
      covers: ["C85"],
      content: book.calls('{"path":"ключ-🔑-鍵"}', '{"path":"b"}'),
      expect: { ...expect, items: twoCalls(book, "ключ-🔑-鍵") },
    }),
    sse("c85-invalid-bytes", "Bytes that are not UTF-8 end the reading.", {
      covers: ["C85"],
      content: Buffer.concat([
        Buffer.from(`${before}: `),
        Buffer.of(0xff, 0xfe),
        Buffer.from(`\n\n${closing}`),
      ]),
      expect: unclosed(book, "BAD_UTF8", "bad_utf8"),
    }),
  ];
}

function plain(stream: string): string {
  return stream.replaceAll("\r\n", "\n");
}
