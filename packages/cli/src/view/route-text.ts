import type { ReportDocument, RouteDocument } from "@airlock/operator/document";
import { plainCell, type Screen } from "./screen.ts";
import { table } from "./table.ts";

const BREAKER_COLOURS = { closed: "green", open: "red", half_open: "yellow" } as const satisfies Record<
  RouteDocument["breaker"]["state"],
  Parameters<Screen["style"]>[0]
>;

const RESULTS = {
  passed: { word: "passed", colour: "green" },
  failed: { word: "failed", colour: "red" },
  not_shown: { word: "not shown", colour: "yellow" },
} as const satisfies Record<
  ReportDocument["result"],
  { readonly word: string; readonly colour: Parameters<Screen["style"]>[0] }
>;

/** The routes for people: how each stands, then what contract scenarios showed of it. */
export function routeListText(screen: Screen, routes: readonly RouteDocument[]): string {
  if (routes.length === 0) return "no routes";
  const rows = routes.map((route) => [
    route.name,
    route.family,
    plainCell(route.models.join(", ")),
    callsCell(screen, route),
    breakerCell(screen, route.breaker),
    limitsCell(route.limits),
  ]);
  const list = table(["ROUTE", "FAMILY", "MODELS", "CALLS", "BREAKER", "LIMITS"], rows);
  const reports = routes.flatMap((route) => route.reports.map((report) => reportRow(screen, route, report)));
  if (reports.length === 0) return `${list}\n\nno contract reports`;
  return `${list}\n\n${table(["ROUTE", "MODELS", "ADAPTER", "SCENARIO", "RESULT"], reports)}`;
}

/** Which calls run on the route, if policy allows them. */
function callsCell(screen: Screen, { effects, verified }: RouteDocument): string {
  if (effects === "read_only") return screen.style("yellow", "reads only");
  if (verified.length === 0) return screen.style("red", "none: unverified");
  return screen.style("green", `verified for ${plainCell(verified.join(", "))}`);
}

function breakerCell(screen: Screen, { state, openUntil }: RouteDocument["breaker"]): string {
  const styled = screen.style(BREAKER_COLOURS[state], state === "half_open" ? "half-open" : state);
  return state === "open" ? `${styled} until ${openUntil}` : styled;
}

function limitsCell({ concurrency, requestsPerMinute }: RouteDocument["limits"]): string {
  const limits = [
    ...(concurrency === null ? [] : [`${concurrency} at once`]),
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} a minute`]),
  ];
  return limits.length === 0 ? "-" : limits.join(", ");
}

function reportRow(screen: Screen, route: RouteDocument, report: ReportDocument): readonly string[] {
  const { word, colour } = RESULTS[report.result];
  return [
    route.name,
    plainCell(report.covers),
    report.counts ? report.adapter : `${report.adapter} (not in use)`,
    report.scenario,
    screen.style(report.counts ? colour : "dim", word),
  ];
}
