import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { CONTRACT_SCENARIOS, SCENARIO_DEMANDS, type ContractScenario, type Route } from "@airlock/core/run";
import { loadRoutes } from "@airlock/core/runtime";
import { ADAPTERS } from "@airlock/core/wire";
import { dataFolder, type Session } from "../session/index.ts";
import { readReports } from "@airlock/operator/document";
import { cliConfig } from "../config.ts";
import {
  contractText,
  playScenario,
  recordScenario,
  scenarioModels,
  scenarioResult,
  type ContractDocument,
  type ScenarioModels,
  type ScenarioResult,
} from "../contract/index.ts";
import { verifiedModels } from "@airlock/operator/document";
import { routesFile } from "../local/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall, type CommandContext } from "./command.ts";
import { watchInterrupts } from "./interrupt.ts";
import { refuseRemote, withSession } from "./with-session.ts";

const POLICY = "ci-default";
const INTERRUPTED = 130;

export const contractCommand: Command = {
  summary: "plays the contract scenarios against a route, and shows the signed reports that come of them",
  details:
    "The scenarios are runs of their own, and run no tool. It ends with 0 only if the report of each passed.\n" +
    `Scenarios: ${CONTRACT_SCENARIOS.join(", ")}; calls run on a route once ${demanding("passed")} have passed,\n` +
    `and ${demanding("not_failed")} has not failed. {scenario} in a model's name stands for the scenario's own.`,
  positional: null,
  flags: {
    route: { value: "NAME", doc: "model route" },
    model: { value: "MODEL", doc: "may be left out where the route has exactly one, or plays recordings" },
    live: { value: null, doc: "agree to the cost of a route to CometAPI" },
    scenario: { value: "NAME", doc: "play this one only", multiple: true },
    policy: { value: "PROFILE", doc: `policy profile that the runs name (${POLICY})` },
    record: { value: "DIR", doc: "write what the route sent to this folder, redacted, as fixtures" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    refuseRemote(context);
    const plan = contractPlan(call, context);
    const results = await withSession(call, context, async (session) => {
      const scenarios = await playAll(session, plan, { call, context });
      return scenarios === null ? null : contractDocument(session, plan, scenarios);
    });
    if (results === null) return INTERRUPTED;
    context.out.print(call.on("json") ? JSON.stringify(results) : contractText(context.out, results));
    return results.passed ? 0 : 1;
  },
};

/** The scenarios with one demand, as a list in a sentence. */
function demanding(demand: (typeof SCENARIO_DEMANDS)[ContractScenario]): string {
  return CONTRACT_SCENARIOS.filter((scenario) => SCENARIO_DEMANDS[scenario] === demand).join(" and ");
}

interface ContractPlan {
  readonly route: string;
  readonly family: Route["family"];
  readonly models: ScenarioModels;
  readonly scenarios: readonly ContractScenario[];
  readonly policy: string;
  readonly record: string | null;
}

function contractPlan(call: CommandCall, context: CommandContext): ContractPlan {
  const name = call.text("route");
  if (name === undefined) throw new AirlockError("USAGE", "name a route with --route");
  const route = routeNamed(name, call, context);
  if (route.baseUrl === "cometapi" && !call.on("live")) {
    throw new AirlockError("USAGE", `route ${name} is CometAPI, which costs money: say so with --live`);
  }
  const record = call.text("record");
  return {
    route: name,
    family: route.family,
    models: scenarioModels({ name, route }, call.text("model")),
    scenarios: scenariosOf(call.list("scenario")),
    policy: call.text("policy") ?? POLICY,
    record: record === undefined ? null : path.resolve(context.folder, record),
  };
}

function routeNamed(name: string, call: CommandCall, { environment, folder }: CommandContext): Route {
  const data = dataFolder(folder, cliConfig(environment), call.text("data"));
  const routes = loadRoutes(routesFile({ data, environment, folder }));
  const route = routes.get(name);
  if (route !== undefined) return route;
  throw new AirlockError("USAGE", `route "${name}" is none of: ${[...routes.keys()].join(", ")}`);
}

function scenariosOf(named: readonly string[]): readonly ContractScenario[] {
  const unknown = named.find((name) => !CONTRACT_SCENARIOS.some((scenario) => scenario === name));
  if (unknown !== undefined) {
    throw new AirlockError("USAGE", `--scenario ${unknown} is none of: ${CONTRACT_SCENARIOS.join(", ")}`);
  }
  return named.length === 0 ? CONTRACT_SCENARIOS : CONTRACT_SCENARIOS.filter((name) => named.includes(name));
}

type Shown = ScenarioResult & {
  /** the fixtures that were written; left out without --record */
  readonly recorded?: readonly string[];
};

async function contractDocument(
  session: Session,
  { route, family }: ContractPlan,
  scenarios: readonly Shown[],
): Promise<ContractDocument> {
  const adapter = ADAPTERS[family].version;
  const verified = verifiedModels(await readReports(session, route), adapter);
  return {
    route,
    family,
    adapter,
    passed: scenarios.every(({ verdict }) => verdict === "passed"),
    verified: scenarios.every(({ covers }) => covers !== null && verified.includes(covers)),
    scenarios,
  };
}

/** One scenario after the other; null where the first interrupt ended the waiting. */
async function playAll(
  session: Session,
  { route, models, scenarios, policy, record }: ContractPlan,
  { call, context }: { readonly call: CommandCall; readonly context: CommandContext },
): Promise<readonly Shown[] | null> {
  const { out, errors } = context;
  const interrupts = watchInterrupts();
  const shown = call.on("json") ? null : out;
  const results: Shown[] = [];
  try {
    for (const scenario of scenarios) {
      shown?.print(out.style("bold", `scenario ${scenario}`));
      const place = { route, model: models[scenario], policy };
      const played = await playScenario({ session, out: shown, signal: interrupts.first }, scenario, place);
      const recorded = record === null ? {} : { recorded: await recordScenario(session, played, record) };
      for (const file of recorded.recorded ?? []) shown?.print(`  recorded ${file}`);
      shown?.print("");
      results.push({ ...scenarioResult(played), ...recorded });
    }
    return results;
  } catch (error) {
    if (!interrupts.first.aborted) throw error;
    errors.print("not waiting any more; a run that was submitted goes on, see `airlock runs`");
    return null;
  } finally {
    interrupts.stop();
  }
}
