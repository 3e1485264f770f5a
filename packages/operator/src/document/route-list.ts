import { z } from "zod";
import type { ReportBody } from "@airlock/core/contract";
import { CONTRACT_SCENARIOS, meetsDemand, readBreaker, type Route, type Routes } from "@airlock/core/run";
import type { Keyring } from "@airlock/core/record";
import type { Redis } from "@airlock/core/store";
import { ADAPTERS } from "@airlock/core/wire";
import { readReports } from "./read-reports.ts";

type Place = { readonly redis: Redis; readonly keyring: Keyring };

/** What the last run of a contract scenario showed. Only reports for the adapter version in use count. */
const reportDocumentSchema = z.strictObject({
  covers: z.string(),
  adapter: z.string(),
  counts: z.boolean(),
  scenario: z.string(),
  result: z.enum(["passed", "failed", "not_shown"]),
  run: z.string(),
});
export type ReportDocument = Readonly<z.infer<typeof reportDocumentSchema>>;

export const routeDocumentSchema = z.strictObject({
  name: z.string(),
  family: z.string(),
  adapter: z.string(),
  models: z.array(z.string()).readonly(),
  effects: z.enum(["contract", "read_only"]),
  limits: z.strictObject({ concurrency: z.int().nullable(), requestsPerMinute: z.int().nullable() }),
  /** the models, or patterns of models, whose reports let every call run that policy allows */
  verified: z.array(z.string()).readonly(),
  breaker: z.strictObject({
    state: z.enum(["closed", "open", "half_open"]),
    openUntil: z.string().nullable(),
    mismatches: z.int(),
  }),
  reports: z.array(reportDocumentSchema).readonly(),
});
export type RouteDocument = Readonly<z.infer<typeof routeDocumentSchema>>;

/** Every route of the file, with what Redis knows of it. */
export function listRoutes(place: Place, routes: Routes): Promise<readonly RouteDocument[]> {
  return Promise.all([...routes].map(([name, route]) => readRoute(place, name, route)));
}

async function readRoute(place: Place, name: string, route: Route): Promise<RouteDocument> {
  const adapter = ADAPTERS[route.family].version;
  const [{ state, openUntil, mismatches }, reports] = await Promise.all([
    readBreaker(place.redis, name),
    readReports(place, name),
  ]);
  return {
    name,
    family: route.family,
    adapter,
    models: route.models,
    effects: route.effects,
    limits: route.limits,
    verified: verifiedModels(reports, adapter),
    breaker: {
      state,
      openUntil: openUntil === null ? null : new Date(openUntil).toISOString(),
      mismatches,
    },
    reports: reports
      .map((report) => describeReport(report, adapter))
      .toSorted((a, b) => orderOf(a).localeCompare(orderOf(b))),
  };
}

/** What reports for this adapter version cover, where they meet the demand of every scenario. */
export function verifiedModels(reports: readonly ReportBody[], adapter: string): readonly string[] {
  const counting = reports.filter((report) => report.adapter === adapter);
  const covered = [...new Set(counting.map(({ covers }) => covers))].toSorted();
  return covered.filter((covers) =>
    CONTRACT_SCENARIOS.every((scenario) => {
      const own = counting.find((report) => report.covers === covers && report.scenario === scenario);
      return meetsDemand(scenario, own ?? null);
    }),
  );
}

function describeReport(report: ReportBody, adapterInUse: string): ReportDocument {
  const { covers, adapter, scenario, passed, shown, run } = report;
  const result = passed ? "passed" : shown ? "failed" : "not_shown";
  return { covers, adapter, counts: adapter === adapterInUse, scenario, result, run };
}

function orderOf({ covers, adapter, scenario }: ReportDocument): string {
  return JSON.stringify([covers, adapter, scenario]);
}
