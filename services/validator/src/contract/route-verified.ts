import { parseBody, reportBodySchema, type ReportBody } from "@airlock/core/contract";
import { verifyRecord, type Keyring } from "@airlock/core/record";
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

/** Of a process' keys, the reports that were opened lately: the same text is signed and says the same each time. */
const opened = new WeakMap<Keyring, Map<string, ReportBody>>();
const OPENED_AT_MOST = 1_000;

function openReport({ keyring }: Pick<Deps, "keyring">, text: string | null): ReportBody | null {
  if (text === null) return null;
  const reports = opened.get(keyring) ?? new Map<string, ReportBody>();
  opened.set(keyring, reports);
  const known = reports.get(text);
  if (known !== undefined) return known;
  const report = parseBody(reportBodySchema, verifyRecord(keyring, "report", JSON.parse(text)));
  if (reports.size >= OPENED_AT_MOST) reports.clear();
  reports.set(text, report);
  return report;
}
