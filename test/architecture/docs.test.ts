import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { responseBodySchema, type ResponseBody } from "@airlock/core/contract";
import { parseRunSpec } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { describe, expect, test } from "vitest";
import { nextStep, type Step } from "../../services/validator/src/outcome/next-step.ts";
import { DOCUMENTS, readDocument, staleDocuments } from "../../scripts/docs-tables.ts";
import { fillTables, placesOf } from "../../scripts/docs-tables/markdown.ts";
import { TABLES } from "../../scripts/docs-tables/tables.ts";
import { CORE_FOLDERS } from "./import-rules.ts";
import { ROOT } from "./source-tree.ts";

const dataFlow = readDocument("docs/data-flow.md");

describe("the documents' tables", () => {
  test("are the code's, row by row", () => {
    expect(staleDocuments()).toEqual([]);
  });

  test("stand in exactly one place each", () => {
    const places = DOCUMENTS.flatMap((name) => placesOf(readDocument(name)));
    expect(places.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  });

  test("are noticed when a row is edited, dropped or added", () => {
    const row = /^\| `completed`.*\n/m;
    const edits = [
      dataFlow.replace(row, (line) => line.replace("| 0 ", "| 9 ")),
      dataFlow.replace(row, ""),
      dataFlow.replace(row, (line) => line + line.replace("completed", "finished")),
    ];
    expect(edits.filter((text) => text === dataFlow || fillTables(text, TABLES) !== dataFlow)).toEqual([]);
  });

  test("have no place for a table that doesn't exist", () => {
    const text = "<!-- table: nothing -->\n\n<!-- end of table -->";
    expect(() => fillTables(text, TABLES)).toThrow("there is no table nothing");
  });
});

/** The rows below a heading, each as its cells. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const section = dataFlow.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function namesBelow(heading: string): readonly string[] {
  return rowsBelow(heading)
    .map(([name = ""]) => name)
    .toSorted();
}

describe("docs/data-flow.md", () => {
  test("lists every Redis key, and no other", () => {
    const run = runKeys("<run>");
    const keys = [
      ...Object.values({
        ...run,
        turn: run.turn(0).replace("0", "<n>"),
        attempt: run.attempt({ turn: 0, attempt: 1 }).replace("0.1", "<n>.<m>"),
        raw: run.raw({ turn: 0, attempt: 1 }).replace("0.1", "<n>.<m>"),
        item: run.item("<item>"),
        content: run.content("<item>"),
        call: run.call("<item>"),
        arguments: run.arguments("<item>"),
        approval: run.approval("<item>"),
        ledger: run.ledger("<item>"),
        result: run.result("<item>"),
        preview: run.preview("<item>"),
      }),
      ...Object.values({
        ...globalKeys,
        consoleSubmitter: globalKeys.consoleSubmitter("<run>"),
        consoleRate: `${globalKeys.consoleRate}<name>`,
        consoleIdempotency: globalKeys.consoleIdempotency("<digest>"),
        poolLogs: globalKeys.poolLogs("<pool>"),
        report: globalKeys.report("<route>"),
        limit: globalKeys.limit("<route>"),
        breaker: globalKeys.breaker("<route>"),
        effect: globalKeys.effect("<digest>"),
        pool: globalKeys.pool("<pool>"),
        poolRuns: globalKeys.poolRuns("<pool>"),
        consoleSession: globalKeys.consoleSession("<digest>"),
        consoleLogins: globalKeys.consoleLogins("<digest>"),
      }),
    ];
    expect(namesBelow("Redis keys")).toEqual(keys.map((key) => `\`${key}\``).toSorted());
  });

  test("has a row for each outcome", () => {
    const { kind, action } = responseBodySchema.shape.outcome.shape;
    const names = kind.options.flatMap((name) =>
      name === "action_required"
        ? action.unwrap().options.map((each) => `\`${name}\`, ${each}`)
        : [`\`${name}\``],
    );
    expect(namesBelow("What follows")).toEqual(names.toSorted());
  });

  const { limits } = parseRunSpec(
    { route: "r", model: "m", instructions: "", input: "i", policy: "p" },
    "test",
  );
  const plan = { limits, onTruncated: "larger_budget" } as const;
  const fresh = { turn: 1, continuations: 0, maxOutputTokens: null, verified: true, spent: null };
  const steps = (outcome: ResponseBody["outcome"], attempt: number): Step =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that the step depends on
    nextStep(
      { outcome, attempt, items: [], errorClass: null, httpStatus: null } as unknown as ResponseBody,
      plan,
      fresh,
    );

  test.each([
    ["`action_required`, tool", { kind: "action_required", action: "tool" }],
    ["`action_required`, continue", { kind: "action_required", action: "continue" }],
    ["`action_required`, approve", { kind: "action_required", action: "approve" }],
    ["`candidate_complete`", { kind: "candidate_complete", action: null }],
    ["`truncated`", { kind: "truncated", action: null }],
    ["`policy_stop`", { kind: "policy_stop", action: null }],
    ["`indeterminate`", { kind: "indeterminate", action: null }],
  ] as const)("says of %s what the validator does, at the first attempt and at the last", (name, outcome) => {
    const said = rowsBelow("What follows").find(([row]) => row === name)?.[1] ?? "";
    for (const step of [steps(outcome, 1), steps(outcome, limits.attempts)])
      expect(said).toContain(wordFor(step));
  });

  test("names the default limits of a spec", () => {
    const rows = Object.fromEntries(rowsBelow("Limits").map(([name = "", limit = ""]) => [name, limit]));
    const { turns, calls, mutatingCalls, attempts, corrections, continuations } = limits;
    expect(rows["turns, calls, mutating calls of a run"]).toContain(`${turns}, ${calls}, ${mutatingCalls}`);
    expect(rows["continuations of a run"]).toContain(`${continuations}`);
    expect(rows["attempts of a turn, corrections"]).toContain(`${attempts}, ${corrections}`);
  });
});

function wordFor(step: Step): string {
  switch (step.kind) {
    case "unlock":
      return "effects are unlocked";
    case "judge_artifact":
      return "held against `expect`";
    case "continue":
    case "stitch":
      return "sent again as the next turn";
    case "retry":
      return "a fresh attempt";
    case "end":
      return `\`${step.state}\``;
  }
}

describe("every document", () => {
  const names = [
    ...DOCUMENTS,
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "deploy/README.md",
    "docs/runbooks.md",
    "packages/replay/README.md",
  ];

  test.each(names)("%s links to files that exist", (name) => {
    const links = [...readDocument(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(name), link)))).toEqual([]);
  });

  test.each(["CONTRIBUTING.md", "docs/decisions/0001-folders-of-core.md"])(
    "%s names core's folders in their order",
    (name) => {
      const text = readDocument(name).replaceAll(/\s+/g, " ");
      expect(text).toContain(`${CORE_FOLDERS.join(", ")}.`);
    },
  );
});
