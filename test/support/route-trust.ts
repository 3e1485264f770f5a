import { reportBodySchema } from "@airlock/core/contract";
import { newRunId, signRecord, type Keyring, type Role } from "@airlock/core/record";
import { CONTRACT_SCENARIOS, type ContractScenario } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";
import { ADAPTERS, type Family } from "@airlock/core/wire";
import { gatewayModels, playScenario } from "../../packages/cli/src/contract/index.ts";
import { reportField } from "../../services/validator/src/contract/scenarios.ts";

interface Place {
  readonly redis: Redis;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
}

interface Vouched {
  readonly route: string;
  readonly family: Family;
  /** the model, or the pattern of models, that the reports speak of */
  readonly covers: string;
}

/** Signs and stores, as the validator does, that a route passed every contract scenario. No run is behind it. */
export async function vouchFor(
  { redis, keyrings }: Place,
  { route, family, covers }: Vouched,
): Promise<void> {
  const adapter = ADAPTERS[family].version;
  for (const scenario of CONTRACT_SCENARIOS) {
    const report = reportBodySchema.parse({
      version: 1,
      run: newRunId(),
      route,
      adapter,
      covers,
      scenario,
      passed: true,
      shown: true,
      observed: "",
    });
    const record = signRecord(keyrings.validator, "report", JSON.stringify(report));
    await redis.hset(globalKeys.report(route), reportField(report), JSON.stringify(record));
  }
}

/** Plays every contract scenario from the gateway's recordings, and waits for the reports. */
export async function playContract(place: Place, on: Omit<Vouched, "covers">): Promise<void> {
  await Promise.all(CONTRACT_SCENARIOS.map((scenario) => showScenario(place, on, scenario)));
}

async function showScenario(
  { redis, keyrings }: Place,
  { route, family }: Omit<Vouched, "covers">,
  scenario: ContractScenario,
): Promise<void> {
  const session = { redis, keyring: keyrings.client, by: "tests", close: () => undefined };
  const stage = { session, out: null, signal: new AbortController().signal };
  const place = { route, model: gatewayModels(family)[scenario], policy: "ci-default" };
  const { report } = await playScenario(stage, scenario, place);
  if (report?.passed === true) return;
  throw new Error(`route ${route} shows nothing in ${scenario}: ${report?.observed ?? "no report"}`);
}
