import type { ErrorClass } from "@airlock/core/fault";
import type { JsonValue } from "@airlock/core/json";
import type { Book } from "./book.ts";
import { aside, body, call, refuses, runs, sse, type ConformanceCase, type Expectation } from "./case.ts";

interface ArgumentRow {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly string[];
  readonly text: string;
  /** What the text is worth, or why it is nothing. */
  readonly reads: { readonly value: JsonValue } | { readonly errorClass: ErrorClass };
  /** Whether an object of a frame can look like this. */
  readonly isJson: boolean;
}

const SET_ASIDE = "is set aside alone, and its sibling runs.";

/** Faults of one call's content: only that call is set aside. */
const ROWS: readonly ArgumentRow[] = [
  row("c16-blank", "No text at all is a call without arguments.", ["C16"], " \n", { value: {} }),
  row(
    "c17-double-encoded",
    `A string in which JSON stands ${SET_ASIDE}`,
    ["C17"],
    '"{\\"path\\":\\"a\\"}"',
    "JSON_TOP_LEVEL",
  ),
  row("c17-array", `An array in an object's place ${SET_ASIDE}`, ["C17"], '["a"]', "JSON_TOP_LEVEL"),
  row("c17-number", `A number in an object's place ${SET_ASIDE}`, ["C17"], "7", "JSON_TOP_LEVEL"),
  row(
    "c18-control-character",
    `A raw line end inside a string ${SET_ASIDE}`,
    ["C18"],
    '{"path":"a\nb"}',
    "JSON_CONTROL_CHARACTER",
  ),
  row(
    "c18-windows-path",
    `A path whose backslashes are no escapes ${SET_ASIDE}`,
    ["C18"],
    '{"path":"C:\\dir"}',
    "JSON_BAD_ESCAPE",
  ),
  row(
    "c18-cut-unicode-escape",
    `An escape without its digits ${SET_ASIDE}`,
    ["C18"],
    '{"path":"\\u12"}',
    "JSON_BAD_ESCAPE",
  ),
  row(
    "c19-fenced",
    `Arguments in a Markdown fence ${SET_ASIDE}`,
    ["C19"],
    '```json\n{"path":"a"}\n```',
    "JSON_SYNTAX",
  ),
  row("c19-prose", `Arguments behind prose ${SET_ASIDE}`, ["C19"], 'Sure: {"path":"a"}', "JSON_SYNTAX"),
  row(
    "c19-trailing-data",
    `A value and trailing data ${SET_ASIDE}`,
    ["C19"],
    '{"path":"a"} thanks',
    "JSON_TRAILING_DATA",
  ),
  row(
    "c03-two-objects",
    `Two objects in one call's text: it ${SET_ASIDE}`,
    ["C03"],
    '{"path":"a"}{"path":"b"}',
    "JSON_TRAILING_DATA",
  ),
  row(
    "c04-object-twice",
    `The same object twice in one call's text: it ${SET_ASIDE}`,
    ["C04"],
    '{"path":"a"}{"path":"a"}',
    "JSON_TRAILING_DATA",
  ),
  row(
    "c20-duplicate-key",
    `An object that names a key twice ${SET_ASIDE}`,
    ["C20"],
    '{"path":"a","path":"b"}',
    "JSON_DUPLICATE_KEY",
  ),
  row(
    "c20-prototype-key",
    `A key that reaches the prototype ${SET_ASIDE}`,
    ["C20"],
    '{"__proto__":{"path":"a"}}',
    "JSON_FORBIDDEN_KEY",
  ),
  row("malformed-json", `A comma too many ${SET_ASIDE}`, [], '{"path":"a",}', "JSON_SYNTAX"),
  row(
    "unsafe-number",
    `A number that two parsers read differently ${SET_ASIDE}`,
    [],
    '{"line":12345678901234567890}',
    "JSON_NUMBER_UNSAFE",
  ),
  row(
    "lone-surrogate",
    `Half a surrogate pair ${SET_ASIDE}`,
    [],
    '{"path":"\\ud800"}',
    "JSON_LONE_SURROGATE",
  ),
  row(
    "c85-replaced-character",
    `Text in which another program replaced bytes ${SET_ASIDE}`,
    ["C85"],
    '{"path":"\uFFFD"}',
    "BAD_UTF8",
  ),
];

function row(
  name: string,
  title: string,
  covers: readonly string[],
  text: string,
  reads: ErrorClass | { readonly value: JsonValue },
): ArgumentRow {
  return {
    name,
    title,
    covers,
    text,
    reads: typeof reads === "string" ? { errorClass: reads } : reads,
    isJson: isObjectText(text),
  };
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value);
  } catch {
    // Whatever else it is, no frame could hold it in an object's place.
    return false;
  }
}

const SIBLING = '{"path":"sibling"}';

/** The content faults of one family, streamed and whole. */
export function argumentCases(book: Book): readonly ConformanceCase[] {
  return [
    ...ROWS.filter(({ isJson }) => isJson || book.argumentsAre.streamed === "text").map((each) =>
      sse(each.name, each.title, {
        covers: each.covers,
        content: book.calls(each.text, SIBLING),
        expect: expectation(book, each),
      }),
    ),
    ...ROWS.filter(({ isJson }) => isJson || book.argumentsAre.whole === "text").map((each) =>
      body(each.name, each.title, {
        covers: each.covers,
        value: book.wholeCalls(each.text, SIBLING),
        expect: expectation(book, each),
      }),
    ),
    ...cutCases(book),
  ];
}

function expectation(book: Book, { reads }: ArgumentRow): Expectation {
  const [first = null, second = null] = book.callIds;
  const sibling = call(second, "read_file", { path: "sibling" });
  const judged =
    "value" in reads
      ? call(first, "read_file", reads.value)
      : aside(call(first, "read_file", null), reads.errorClass);
  return runs(book.expect.raw ?? "", judged, sibling);
}

/** A text that stops in the middle belies the signal: who knows what else was lost. */
function cutCases(book: Book): readonly ConformanceCase[] {
  if (book.argumentsAre.streamed === "object") return [];
  const [first = null, second = null] = book.callIds;
  return ["{", '{"path":"a', '{"path":"a"'].map((text, at) =>
    sse(`c27-cut-${at + 1}`, `Arguments that stop as \`${text}\` make the response indeterminate.`, {
      covers: ["C16", "C27", "C44", "C69"],
      content: book.calls(text, SIBLING),
      expect: refuses(
        "JSON_TRUNCATED",
        book.expect.raw,
        aside(call(first, "read_file", null)),
        aside(call(second, "read_file", { path: "sibling" })),
      ),
    }),
  );
}
