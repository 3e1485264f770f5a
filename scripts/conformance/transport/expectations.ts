import type { ErrorClass } from "@airlock/core/fault";
import type { Book } from "../book.ts";
import { aside, refuses, type Expectation } from "../case.ts";

/** The whole response was read and something in it is wrong. */
export function doubted(book: Book, errorClass: ErrorClass): Expectation {
  return refuses(errorClass, book.expect.raw, ...book.expect.items.map((item) => aside(item)));
}

/** The end was not read. */
export function unclosed(
  book: Book,
  errorClass: ErrorClass,
  end: NonNullable<Expectation["end"]>,
): Expectation {
  const items = book.expect.items.map((item) => aside(item));
  return { ...refuses(errorClass, book.rawBeforeClosing, ...items), end };
}

/** The book's call twice, with another path in the first. */
export function twoCalls(book: Book, path: string): Expectation["items"] {
  const [model] = book.expect.items;
  if (model === undefined) return [];
  const [first = null, second = null] = book.callIds;
  return [
    { ...model, callId: first, arguments: { path } },
    { ...model, callId: second, arguments: { path: "b" } },
  ];
}
