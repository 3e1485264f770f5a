import { describe, expect, test } from "vitest";
import { cutLine, plainCell, plainText, runListText, runText, table } from "../../src/view/index.ts";
import type { RunDocument } from "../../src/document/index.ts";
import { paper } from "./screen.ts";

const QUIET = { errorCode: null, nativeReason: null, flags: [] };

const RUN: RunDocument = {
  id: "r1",
  state: "completed",
  outcome: "candidate_complete",
  reason: null,
  turns: [
    {
      number: 1,
      attempts: [
        { number: 1, raw: null, outcome: "indeterminate", errorClass: "STREAM_TRUNCATED", ...QUIET },
        {
          number: 2,
          raw: "completed",
          outcome: "action_required",
          errorClass: null,
          ...QUIET,
          flags: ["id_synthesised"],
        },
      ],
      calls: [
        {
          itemKey: "r1.1.2.0",
          callId: "call_\u001b[31m1\n",
          tool: "read_file",
          state: "EXECUTED",
          decision: "allow",
          rules: ["read-files"],
          errorClass: null,
          resultBytes: 12,
          flags: ["id_synthesised"],
        },
      ],
    },
  ],
  artifact: { kind: "text", content: "Done.\u001b]0;title\u0007\u001b[2J\nBye." },
};

describe("text for people", () => {
  test("shows a run's attempts, calls and artifact, without the terminal sequences of a model", () => {
    expect(runText(paper(), RUN)).toBe(
      [
        "r1  completed",
        "outcome  candidate_complete",
        "",
        "TURN  ATTEMPT  RAW        OUTCOME                          ERROR",
        "1     1        -          indeterminate                    STREAM_TRUNCATED",
        "1     2        completed  action_required, id_synthesised  -",
        "",
        "ITEM   TOOL       STATE     DECISION  RULES       ERROR              BYTES  CALL ID",
        "1.2.0  read_file  EXECUTED  allow     read-files  -, id_synthesised  12     call_1",
        "",
        "artifact (text)",
        "Done.",
        "Bye.",
      ].join("\n"),
    );
  });

  test("says so where there are no runs", () => {
    expect(runListText(paper(), [])).toBe("no runs");
  });

  test("aligns by what is seen, not by colour codes", () => {
    expect(table(["A", "B"], [["\u001b[32mlong\u001b[39m", "1"]])).toBe(
      "A     B\n\u001b[32mlong\u001b[39m  1",
    );
  });

  test("loses control characters, but keeps line ends and tabs", () => {
    expect(plainText("a\u0000b\u001b[1mc\r\n\td\u009b31me")).toBe("abc\n\tde");
    expect(plainCell("a\n\tb ")).toBe("a b");
  });

  test("is cut to a terminal's width", () => {
    expect(cutLine("abcdef", 4)).toBe("abc…");
    expect(cutLine("abcd", 4)).toBe("abcd");
  });
});
