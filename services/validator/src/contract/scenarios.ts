import type { RunHash } from "@airlock/core/run";

/** What the end of a contract run showed. */
export interface Observed {
  readonly state: RunHash["state"];
  readonly turns: number;
  /** whether every turn came out right at its first attempt */
  readonly firstAttempts: boolean;
  /** the calls of the first turn: whether each had valid arguments for a registered tool */
  readonly calls: readonly { readonly schemaValid: boolean }[];
}

/** The scenarios of a family: a route is verified when the latest report of each passed. */
export const SCENARIOS = {
  text: (seen) =>
    seen.state === "completed" && seen.firstAttempts && seen.turns === 1 && seen.calls.length === 0,
  tool_call: (seen) =>
    seen.state === "completed" &&
    seen.firstAttempts &&
    seen.turns === 2 &&
    seen.calls.length === 1 &&
    seen.calls.every((call) => call.schemaValid),
} as const satisfies Record<string, (seen: Observed) => boolean>;

/** The hash field under which a report lies. */
export function reportField(report: {
  readonly adapter: string;
  readonly covers: string;
  readonly scenario: string;
}): string {
  return JSON.stringify([report.adapter, report.covers, report.scenario]);
}
