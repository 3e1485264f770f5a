import type { ReportBody } from "@airlock/core/contract";
import { CONTRACT_SCENARIOS, meetsDemand, readBreaker, type Route, type Routes } from "@airlock/core/run";
import type { Keyring } from "@airlock/core/record";
import type { Redis } from "@airlock/core/store";
import { ADAPTERS } from "@airlock/core/wire";
import { readReports } from "./read-reports.ts";

type Place = { readonly redis: Redis; readonly keyring: Keyring };

/** What the last run of a contract scenario showed. Only reports for the adapter version in use count. */
export interface ReportDocument {
  readonly covers: string;
  readonly adapter: string;
  readonly counts: boolean;
  readonly scenario: string;
  readonly result: "passed" | "failed" | "not_shown";
  readonly run: string;
}

export interface RouteDocument {
  readonly name: string;
  readonly family: string;
  readonly adapter: string;
  readonly models: readonly string[];
  readonly effects: Route["effects"];
  readonly limits: Route["limits"];
  /** the models, or patterns of models, whose reports let every call run that policy allows */
  readonly verified: readonly string[];
  readonly breaker: {
    readonly state: "closed" | "open" | "half_open";
    readonly openUntil: string | null;
    readonly mismatches: number;
  };
  readonly reports: readonly ReportDocument[];
}

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
