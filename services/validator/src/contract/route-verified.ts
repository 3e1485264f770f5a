import { parseBody, reportBodySchema } from "@airlock/core/contract";
import { verifyRecord } from "@airlock/core/record";
import { globalKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { reportField, SCENARIOS } from "./scenarios.ts";

interface Scope {
  readonly route: string;
  readonly adapter: string;
  readonly covers: string;
}

/** True where every scenario has a stored report that this validator signed, for this adapter version, that passed. */
export async function routeVerified(deps: Pick<Deps, "redis" | "keyring">, scope: Scope): Promise<boolean> {
  const fields = Object.keys(SCENARIOS).map((scenario) => reportField({ ...scope, scenario }));
  const stored = await deps.redis.hmget(globalKeys.report(scope.route), ...fields);
  return stored.every((text, at) => {
    if (text === null) return false;
    const report = parseBody(reportBodySchema, verifyRecord(deps.keyring, "report", JSON.parse(text)));
    return report.passed && report.route === scope.route && reportField(report) === fields[at];
  });
}
