import { describe, expect, test } from "vitest";
import { cutLine, plainCell, plainText, runListText, runText, table } from "../../src/view/index.ts";
import type { RunDocument } from "@airlock/operator/document";
import { paper } from "./screen.ts";

const QUIET = { errorCode: null, nativeReason: null, flags: [] };

const RUN: RunDocument = {
  id: "r1",
  state: "completed",
  outcome: "candidate_complete",
  reason: null,
  pool: null,
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
          found: null,
        },
      ],
    },
  ],
  used: { turns: 1, calls: 1, mutatingCalls: 0, outputTokens: 4108, unreportedAttempts: 1 },
  partial: null,
  artifact: { kind: "text", content: "Done.\u001b]0;title\u0007\u001b[2J\nBye." },
};

describe("text for people", () => {
  test("shows a run's attempts, calls and artifact, without the terminal sequences of a model", () => {
    expect(runText(paper(), RUN)).toBe(
      [
        "r1  completed",
        "outcome  candidate_complete",
        "used     1 turn, 1 call (0 with effects), 4108 output tokens (1 attempt without a report, at the most allowed)",
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

  test("hands back what a run had that ended short of its artifact, and calls it none", () => {
    const partial = { executed: ["r1.1.2.0", "r1.2.1.0"], text: "Half\u001b[2J done.", textGone: false };
    const text = runText(paper(), {
      ...RUN,
      state: "escalated",
      reason: "BUDGET_CALLS",
      artifact: null,
      partial,
    });
    expect(text.split("\n\n").at(-1)).toBe(
      ["partial: what the run had, not a finished artifact", "executed 1.2.0, 2.1.0", "Half done."].join(
        "\n",
      ),
    );
    expect(text).not.toContain("artifact (");
  });

  test.each([
    ["EXECUTED", { finding: "executed", by: "reconciler" }, /EXECUTED \(found executed by reconciler\)/],
    [
      "OUTCOME_UNKNOWN",
      { finding: "not_executed", by: "ana" },
      /OUTCOME_UNKNOWN \(found not_executed by ana\)/,
    ],
    ["OUTCOME_UNKNOWN", null, /\nunknown {2}airlock ledger show r1\.1\.2\.0; then resolve it\n/],
  ])("says of a call whose end nobody saw, %s, who found out, or who has to", (state, found, says) => {
    const [turn] = RUN.turns;
    const calls = (turn?.calls ?? []).map((call) => ({ ...call, state, found }));
    const turns = RUN.turns.map((each) => ({ ...each, calls }));
    const text = runText(paper(), { ...RUN, turns });
    expect(text).toMatch(says);
    expect(text.includes("ledger show")).toBe(found === null);
  });

  test("says where the last text of such a run is not kept any more", () => {
    const partial = { executed: [], text: null, textGone: true };
    const text = runText(paper(), { ...RUN, state: "escalated", artifact: null, partial });
    expect(text).toMatch(/\nexecuted no call\nits last text is not kept any more$/);
  });

  test("tells of a run whose record can't be read beside the others", () => {
    const unread = { route: "-", model: "-", turn: 0, pool: null, createdAt: null, endedAt: null } as const;
    const list = [
      {
        ...unread,
        requestedBy: null,
        labels: {},
        id: "r1",
        state: "unreadable",
        reason: "SCHEMA_VERSION: why",
      },
    ];
    expect(runListText(paper(), list).split("\n")[1]).toBe(
      "r1   unreadable  -      -      0     -     -          SCHEMA_VERSION: why",
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
