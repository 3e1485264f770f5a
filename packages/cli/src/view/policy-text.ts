import path from "node:path";
import type { PolicyDecision } from "@airlock/core/policy";
import type { PolicyCheck, PolicyProblem } from "../policy/index.ts";
import { plainCell, plainText, type Screen } from "./screen.ts";
import { table } from "./table.ts";

const COLOURS = {
  allow: "green",
  flag: "green",
  approve: "yellow",
  quarantine: "yellow",
  forbid: "red",
} as const satisfies Record<PolicyDecision["decision"], string>;

/** What policy says of one call: the decision first, then all that led to it. */
export function decisionText(screen: Screen, decided: PolicyDecision): string {
  const { decision, winning, reason, approval, matched, policyDigest } = decided;
  const styled = (name: PolicyDecision["decision"]): string => screen.style(COLOURS[name], name);
  const rows = matched.map((finding) => [finding.rule, styled(finding.decision), plainCell(finding.reason)]);
  return [
    `${screen.style("bold", styled(decision))} by ${winning}: ${plainCell(reason)}`,
    ...(approval === null ? [] : [approvalLine(approval)]),
    "",
    table(["RULE", "DECISION", "REASON"], rows),
    "",
    screen.style("dim", `policy ${policyDigest}`),
  ].join("\n");
}

function approvalLine({ risk, ttlMs, quorum, onAsk }: NonNullable<PolicyDecision["approval"]>): string {
  if (onAsk === "deny") return "nobody is asked: the call is denied (defaults.onAskNonInteractive)";
  const time = ttlMs === null ? "as long as the validator waits" : `at most ${ttlMs / 1_000} s`;
  return `waits for ${quorum === 1 ? "one person" : `${quorum} people`}, ${time}; risk ${risk}`;
}

/** Each problem with its line, then one line that sums up. */
export function policyCheckText(screen: Screen, check: PolicyCheck, folder: string): string {
  const within = check.file.startsWith(`${folder}${path.sep}`);
  const name = within ? path.relative(folder, check.file) : check.file;
  return [
    ...check.problems.flatMap((problem) => problemLines(screen, problem, folder)),
    sum(screen, check, name),
  ].join("\n");
}

function problemLines(screen: Screen, { told, line }: PolicyProblem, folder: string): readonly string[] {
  const head = told.startsWith(`${folder}${path.sep}`) ? told.slice(folder.length + 1) : told;
  if (line === null) return [plainText(head)];
  const number = String(line.number).padStart(5);
  const before = " ".repeat(Math.max(0, line.column - 1));
  return [
    plainText(head),
    `${screen.style("dim", `${number} |`)} ${plainText(line.text)}`,
    `${screen.style("dim", "      |")} ${before}${screen.style("red", "^")}`,
    "",
  ];
}

function sum(screen: Screen, { loaded, problems }: PolicyCheck, name: string): string {
  const found = counted(problems.length, "problem");
  if (loaded === null) return `${screen.style("red", "FAILED")} ${name}: ${found}`;
  const what = `${counted(loaded.rules, "rule")}, ${counted(loaded.examples, "example")}`;
  if (problems.length > 0) return `${screen.style("red", "FAILED")} ${name}: ${what}, ${found}`;
  return `${screen.style("green", "ok")} ${name}: ${what}, all of them hold`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
