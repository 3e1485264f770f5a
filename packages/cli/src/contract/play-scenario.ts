// A scenario and a route in, what the run showed out: its document, and the validator's signed report of it.
import type { ReportBody } from "@airlock/core/contract";
import type { ContractScenario } from "@airlock/core/run";
import type { RunDocument } from "@airlock/operator/document";
import { play, type Stage } from "../play/index.ts";
import { scenarioSpec, type ScenarioPlace } from "./scenario-spec.ts";
import { storedReport } from "./stored-report.ts";

export interface ScenarioPlayed {
  readonly scenario: ContractScenario;
  readonly model: string;
  readonly document: RunDocument;
  /** null where the run ended without one, as one does that was refused at the door */
  readonly report: ReportBody | null;
}

export async function playScenario(
  stage: Stage,
  scenario: ContractScenario,
  place: ScenarioPlace,
): Promise<ScenarioPlayed> {
  const { run, document } = await play(stage, scenarioSpec(scenario, place));
  const admitted = document.turns.length > 0;
  const report = admitted ? await storedReport(stage.session, place.route, run) : null;
  return { scenario, model: place.model, document, report };
}
