// A played scenario in, its line of the command's answer out: a verdict, and what the signed report says was observed.
import { SCENARIO_DEMANDS, type ContractScenario } from "@airlock/core/run";
import { z } from "zod";
import type { ScenarioPlayed } from "./play-scenario.ts";

/** What the validator wrote of a contract run; a newer one may write more. */
const observedSchema = z.object({
  state: z.string(),
  turns: z.number(),
  firstAttempts: z.boolean(),
  calls: z.number(),
  validCalls: z.number(),
  distinctCalls: z.number(),
});
export type Observed = z.infer<typeof observedSchema>;

export interface ScenarioResult {
  readonly scenario: ContractScenario;
  /** what the route owes here before a call runs on it: a report that `passed`, or none that failed */
  readonly demand: (typeof SCENARIO_DEMANDS)[ContractScenario];
  readonly model: string;
  readonly run: string;
  /** `not_shown`: the model did not do what the scenario is about; `no_report`: the run ended without one */
  readonly verdict: "passed" | "failed" | "not_shown" | "no_report";
  readonly adapter: string | null;
  /** the model, or the pattern of models, that the report holds for */
  readonly covers: string | null;
  readonly observed: Observed | null;
  /** the error classes of the run's attempts and calls, and why it ended */
  readonly reasons: readonly string[];
}

export function scenarioResult({ scenario, model, document, report }: ScenarioPlayed): ScenarioResult {
  const attempts = document.turns.flatMap((turn) => turn.attempts);
  // every call of a contract run is denied: that is no finding
  const calls = document.turns.flatMap((turn) => turn.calls).filter(({ state }) => state === "QUARANTINED");
  const classes = [...attempts, ...calls].flatMap(({ errorClass }) => errorClass ?? []);
  return {
    scenario,
    demand: SCENARIO_DEMANDS[scenario],
    model,
    run: document.id,
    verdict:
      report === null ? "no_report" : !report.shown ? "not_shown" : report.passed ? "passed" : "failed",
    adapter: report?.adapter ?? null,
    covers: report?.covers ?? null,
    observed: report === null ? null : observedIn(report.observed),
    reasons: [...new Set([...classes, ...(document.reason === null ? [] : [document.reason])])],
  };
}

function observedIn(text: string): Observed | null {
  const parsed = observedSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}
