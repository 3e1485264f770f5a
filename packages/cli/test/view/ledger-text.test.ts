import { expect, test } from "vitest";
import type { LedgerDocument } from "@airlock/operator/document";
import { ledgerListText, ledgerText } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

const NOW = Date.parse("2026-01-01T00:03:00.000Z");

const UNKNOWN: LedgerDocument = {
  itemKey: "r1.1.1.0",
  state: "NEEDS_HUMAN",
  published: "OUTCOME_UNKNOWN",
  tool: "run_command",
  effect: "mutating",
  grant: 1,
  fence: 2,
  owner: "beta_000000000000_2-2_u",
  lost: { owner: "alpha_000000000000_1-1_u", fence: 1 },
  startedAt: null,
  unknownAt: "2026-01-01T00:00:00.000Z",
  leaseUntil: null,
  sandbox: "bwrap",
  status: "unknown",
  errorClass: "OUTCOME_UNKNOWN",
  resultBytes: null,
  probe: false,
  evidence: null,
  resolution: null,
  raw: null,
};

const late = { fence: 1, status: "ok", at: "2026-01-01T00:01:00.000Z" };

test.each<[string, Partial<LedgerDocument>]>([
  ["nothing: its tool has no probe", {}],
  ["its probe could not tell", { probe: true }],
  ["a result came too late: ok", { evidence: late, probe: true }],
])("a list says of each call its age, where it was started, and what is known: %s", (known, change) => {
  expect(ledgerListText(paper(), [{ ...UNKNOWN, ...change }], NOW).split("\n")[1]).toBe(
    `r1.1.1.0  run_command  NEEDS_HUMAN  3 min  alpha       ${known}`,
  );
});

test("a list says of a call that no person has to look at yet who does", () => {
  const text = ledgerListText(paper(), [{ ...UNKNOWN, state: "RECONCILING" }], NOW);
  expect(text).toContain("the executors are finding out");
});

test("a list without calls says so", () => {
  expect(ledgerListText(paper(), [], NOW)).toBe("no call of unknown outcome");
});

test("a call shows what there is of it, and what to do where it waits for a person", () => {
  const text = ledgerText(paper(), UNKNOWN);
  expect(text.split("\n")[0]).toBe("r1.1.1.0  NEEDS_HUMAN");
  expect(text).toContain("fence 1 of alpha");
  expect(text).toContain("airlock ledger resolve r1.1.1.0 --done or --not-done, with a --reason");
  expect(text).not.toContain("resultBytes");
});

test("a resolved call shows who found what, and asks for nothing; content comes only where it was asked for", () => {
  const resolution = { finding: "executed", by: "a\u001b[2Jna", reason: "seen" };
  const raw = { expected: '{"files":[]}\u001b[2J', result: null };
  const text = ledgerText(paper(), { ...UNKNOWN, state: "EXECUTED", resolution, raw });
  expect(text).toContain("executed, by ana: seen");
  expect(text).not.toContain("airlock ledger resolve");
  expect(text.split("\n\n").slice(1)).toEqual(['expected\n{"files":[]}', "result\nnothing is kept of it"]);
});
