// A report in, JUnit's XML out: one test case for the run, each turn and each call.
import { callVerdict, runVerdict, turnVerdict, type Verdict } from "./verdict.ts";
import type { RunReport } from "./report-document.ts";
import { element } from "./xml.ts";

interface Case {
  readonly classname: string;
  readonly name: string;
  readonly durationMs: number | null;
  readonly verdict: Verdict;
}

export function junitText(report: RunReport): string {
  const cases = casesOf(report);
  const count = (kind: Verdict["kind"]): number =>
    cases.filter(({ verdict }) => verdict.kind === kind).length;
  const totals = {
    tests: cases.length,
    failures: count("failed"),
    errors: count("unknown"),
    skipped: count("open"),
    time: seconds(report.durationMs),
  };
  const name = `airlock ${report.id}`;
  const suite = element(
    "testsuite",
    { name, ...totals, timestamp: report.startedAt },
    cases.map(caseElement),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name, ...totals }, [suite])}`;
}

function casesOf(report: RunReport): readonly Case[] {
  const { id, turns } = report;
  return [
    { classname: id, name: "run", durationMs: report.durationMs, verdict: runVerdict(report) },
    ...turns.flatMap((turn): readonly Case[] => {
      const place = `turn ${turn.number}`;
      return [
        { classname: id, name: place, durationMs: null, verdict: turnVerdict(turn) },
        ...turn.calls.map((call) => ({
          classname: `${id}.${place}`,
          name: `${call.itemKey.slice(id.length + 1)} ${call.tool}`,
          durationMs: call.durationMs,
          verdict: callVerdict(call),
        })),
      ];
    }),
  ];
}

function caseElement({ classname, name, durationMs, verdict }: Case): string {
  const { kind, class: type, message } = verdict;
  const attributes = { classname, name, time: seconds(durationMs) };
  switch (kind) {
    case "passed":
      return element("testcase", attributes);
    case "failed":
      return element("testcase", attributes, [element("failure", { type, message })]);
    case "unknown":
      return element("testcase", attributes, [element("error", { type, message })]);
    case "open":
      return element("testcase", attributes, [element("skipped", { message })]);
  }
}

function seconds(durationMs: number | null): string | null {
  return durationMs === null ? null : (durationMs / 1_000).toFixed(3);
}
