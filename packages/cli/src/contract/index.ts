export { contractText, type ContractDocument } from "./contract-text.ts";
export { playScenario, type ScenarioPlayed } from "./play-scenario.ts";
export { recordScenario } from "./record.ts";
export { redactStream } from "./redact-stream.ts";
export { gatewayModels, sameModel, scenarioModels, type ScenarioModels } from "./scenario-models.ts";
export { scenarioResult, type ScenarioResult } from "./scenario-result.ts";
export { scenarioSpec } from "./scenario-spec.ts";
