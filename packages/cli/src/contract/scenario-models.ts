// A route and the model that was named, or none, in, the model that plays each scenario out;
// refuses models that the route does not take, and a route that leaves the choice open.
import { AirlockError } from "@airlock/core/fault";
import { modelPattern, type ContractScenario, type Route } from "@airlock/core/run";
import type { Family } from "@airlock/core/wire";
import { soleModel } from "../spec/index.ts";

export type ScenarioModels = Readonly<Record<ContractScenario, string>>;

/** In a model's name, stands for the scenario that it plays. */
const PLACEHOLDER = "{scenario}";

/** The replay gateway plays a recording per model, so each scenario has its own, in each wire family. */
export function gatewayModels(family: Family): ScenarioModels {
  return sameModel(`replay/demo/contract/${family}/${PLACEHOLDER}`);
}

export function scenarioModels(
  { name, route }: { readonly name: string; readonly route: Route },
  given: string | undefined,
): ScenarioModels {
  const models = given === undefined ? defaultModels(route) : sameModel(given);
  if (models === null) {
    throw new AirlockError("USAGE", `route ${name} takes ${route.models.join(", ")}: name one with --model`);
  }
  const refused = Object.values(models).find((model) => modelPattern(route, model) === null);
  if (refused === undefined) return models;
  throw new AirlockError("USAGE", `route ${name} takes no ${refused}, only ${route.models.join(", ")}`);
}

/** One model for all scenarios, but for the placeholder in its name. */
export function sameModel(model: string): ScenarioModels {
  const named = (scenario: ContractScenario): string => model.replaceAll(PLACEHOLDER, scenario);
  return { text: named("text"), tool_call: named("tool_call"), parallel_calls: named("parallel_calls") };
}

/** The route's one model, or the recordings of this checkout where the route takes nothing but recordings. */
function defaultModels({ family, models }: Route): ScenarioModels | null {
  const only = soleModel({ models });
  if (only !== null) return sameModel(only);
  return models.every((pattern) => pattern.startsWith("replay/")) ? gatewayModels(family) : null;
}
