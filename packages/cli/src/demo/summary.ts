import type { RunDocument } from "@airlock/operator/document";
import { styledRunState, table, type Screen } from "../view/index.ts";
import type { Finding } from "./findings.ts";

export interface Chapter {
  readonly story: string;
  readonly document: RunDocument;
  readonly findings: readonly Finding[];
  /** what was looked at in the repository itself */
  readonly effect: string;
}

export function summaryTable(screen: Screen, chapters: readonly Chapter[]): string {
  const rows = chapters.map(({ story, document, findings, effect }) => {
    const held = findings.every((finding) => finding.held);
    return [
      document.id,
      story,
      styledRunState(screen, document.state),
      String(document.turns.length),
      callCounts(document),
      `${held ? screen.style("green", "✓") : screen.style("red", "✗")} ${effect}`,
    ];
  });
  return table(["RUN", "STORY", "STATE", "TURNS", "CALLS", "CHECKED IN THE REPOSITORY"], rows);
}

/** `5 EXECUTED, 1 QUARANTINED` */
export function callCounts(document: RunDocument): string {
  const counts = new Map<string, number>();
  for (const { state } of document.turns.flatMap((turn) => turn.calls)) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ") || "-";
}

export function findingLines(screen: Screen, findings: readonly Finding[]): readonly string[] {
  return findings.map(({ claim, held }) =>
    held ? `  ${screen.style("green", "✓")} ${claim}` : `  ${screen.style("red", "✗ NOT SO:")} ${claim}`,
  );
}
