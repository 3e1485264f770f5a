import { reportBodySchema } from "@airlock/core/contract";
import { signRecord } from "@airlock/core/record";
import { readCall, readRun, readTurn, reportScope, type RunHash } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import { ADAPTERS } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import { reportField, SCENARIOS, type Observed } from "./scenarios.ts";

/** Signs and stores what an ended contract run showed of its route; does nothing for any other run. */
export async function storeReport(deps: Deps, run: string): Promise<void> {
  const hash = await readRun(deps.redis, run);
  const route = hash === null ? undefined : deps.routes.get(hash.route);
  if (hash?.plan?.contract == null || route === undefined || hash.endedAt === undefined) return;
  const scenario = hash.plan.contract;
  const seen = await observe(deps, run, hash);
  const verdict = SCENARIOS[scenario](seen);
  const report = reportBodySchema.parse({
    version: 1,
    run,
    route: hash.route,
    adapter: ADAPTERS[route.family].version,
    covers: reportScope(route, hash.model) ?? hash.model,
    scenario,
    passed: verdict === "passed",
    shown: verdict !== "not_shown",
    observed: JSON.stringify(seen),
  });
  const record = signRecord(deps.keyring, "report", JSON.stringify(report));
  await deps.redis.hset(globalKeys.report(hash.route), reportField(report), JSON.stringify(record));
  deps.log.write("info", "report_stored", {
    run,
    route: hash.route,
    state: verdict,
  });
}

async function observe(deps: Deps, run: string, hash: RunHash): Promise<Observed> {
  const numbers = Array.from({ length: hash.turn }, (_, at) => at + 1);
  const turns = await Promise.all(numbers.map((turn) => readTurn(deps.redis, run, turn)));
  const firstCalls = [...(turns[0]?.calls.keys() ?? [])];
  const calls = await Promise.all(firstCalls.map((itemKey) => readCall(deps.redis, itemKey)));
  return {
    state: hash.state,
    turns: hash.turn,
    firstAttempts: turns.every((turn) => turn?.attempt === 1),
    calls: calls.length,
    validCalls: calls.filter((call) => call?.argumentsDigest !== undefined).length,
    distinctCalls: new Set(calls.map((call, at) => call?.callId || at)).size,
  };
}
