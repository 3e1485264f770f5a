import { parseBody, reportBodySchema, type ReportBody } from "@airlock/core/contract";
import { verifyRecord } from "@airlock/core/record";
import { CONTRACT_SCENARIOS, meetsDemand } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { reportField } from "./scenarios.ts";

interface Scope {
  readonly route: string;
  readonly adapter: string;
  readonly covers: string;
}

/** True where what this validator signed and stored for this adapter version meets the demand of every scenario. */
export async function routeVerified(deps: Pick<Deps, "redis" | "keyring">, scope: Scope): Promise<boolean> {
  const fields = CONTRACT_SCENARIOS.map((scenario) => reportField({ ...scope, scenario }));
  const stored = await deps.redis.hmget(globalKeys.report(scope.route), ...fields);
  return CONTRACT_SCENARIOS.every((scenario, at) => {
    const report = openReport(deps, stored[at] ?? null);
    const inPlace = report === null || (report.route === scope.route && reportField(report) === fields[at]);
    return inPlace && meetsDemand(scenario, report);
  });
}

function openReport({ keyring }: Pick<Deps, "keyring">, text: string | null): ReportBody | null {
  if (text === null) return null;
  return parseBody(reportBodySchema, verifyRecord(keyring, "report", JSON.parse(text)));
}
