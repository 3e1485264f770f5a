import type { Family } from "@airlock/core/wire";
import { BOOKS } from "./books.ts";
import { conformanceCases } from "./cases.ts";
import type { ConformanceCase, Expectation } from "./case.ts";

export interface ConformanceFile {
  /** From `fixtures/conformance`. */
  readonly path: string;
  readonly content: Uint8Array;
}

const encoder = new TextEncoder();

/** Two files for each case: the bytes, and what must be concluded from them. */
export function conformanceFiles(): readonly ConformanceFile[] {
  return [...conformanceCases()].flatMap(([family, cases]) =>
    cases.flatMap((each) => [
      { path: `${family}/${each.name}.${each.form}`, content: bytesOf(each.content) },
      {
        path: `${family}/${each.name}.expected.json`,
        content: encoder.encode(`${JSON.stringify(expectationFile(family, each), null, 1)}\n`),
      },
    ]),
  );
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? encoder.encode(content) : content;
}

function expectationFile(family: Family, { title, covers, options, form, expect }: ConformanceCase): object {
  return {
    title,
    ...(covers.length === 0 ? {} : { covers }),
    ...(options === undefined ? {} : { options }),
    expected: expectedReading(family, form, expect),
  };
}

function expectedReading(family: Family, form: ConformanceCase["form"], expect: Expectation): object {
  const { raw, outcome, errorClass, verdicts } = expect;
  const items = expect.items.map((item, ordinal) => ({
    ordinal,
    ...item,
    state: item.errorClass === null ? "ITEM_TERMINAL" : "QUARANTINED",
  }));
  const runs = items.filter(({ kind, state }) => kind === "tool_call" && state === "ITEM_TERMINAL");
  return {
    raw,
    outcome,
    errorClass,
    responseId: expect.responseId === undefined ? RESPONSE_IDS[family] : expect.responseId,
    items,
    executable: runs.map(({ ordinal }) => ordinal),
    transport: {
      end: expect.end ?? (form === "json" ? "clean" : BOOKS[family].end),
      unknownEvents: expect.unknownEvents ?? 0,
    },
    flags: expect.flags ?? [],
    ...(verdicts === undefined ? {} : { verdicts }),
  };
}

const RESPONSE_IDS: Readonly<Record<Family, string>> = {
  responses: "resp_1",
  chat: "chatcmpl-1",
  anthropic: "msg_1",
  gemini: "resp_1",
};
