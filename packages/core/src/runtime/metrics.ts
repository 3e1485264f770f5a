import { collectDefaultMetrics, Counter, Registry } from "prom-client";

/** Every counter, with labels from closed lists only. */
export const COUNTERS = {
  airlock_jobs_handled_total: { labels: ["queue"], help: "queue jobs that a handler took" },
  airlock_jobs_failed_total: {
    labels: ["queue"],
    help: "queue jobs whose handler failed and that come back",
  },
  airlock_records_refused_total: {
    labels: ["queue"],
    help: "jobs with a forged, edited or misplaced record",
  },
  airlock_outcomes_total: { labels: ["route", "outcome"], help: "committed responses by outcome" },
  airlock_calls_settled_total: { labels: ["state"], help: "settled calls by final state" },
  airlock_calls_reconciled_total: {
    labels: ["finding"],
    help: "calls whose end nobody saw, by what was found out: `inconclusive` waits for a person",
  },
  airlock_claims_refused_total: {
    labels: ["reason"],
    help: "grants that an executor refused: `key_reused` is a key that came with other arguments",
  },
  airlock_policy_reloads_total: {
    labels: ["result"],
    help: "reloads of the policies: `reloaded`, or `failed` with the old ones kept",
  },
  airlock_policy_shadow_differences_total: {
    labels: ["policy", "rule", "enforced", "shadow"],
    help: "calls that a policy in mode shadow would have decided otherwise, by its winning rule",
  },
  airlock_route_breaker_total: {
    labels: ["route", "change"],
    help: "times that a route was suspended (`opened`) or taken back (`closed`)",
  },
  airlock_runs_ended_total: { labels: ["state"], help: "ended runs by state" },
  airlock_webhook_deliveries_total: {
    labels: ["webhook", "result"],
    help: "attempts to tell a webhook: `delivered`, `failed` and tried again, or `dead` and given up",
  },
} as const satisfies Record<string, { readonly labels: readonly string[]; readonly help: string }>;

export type CounterName = keyof typeof COUNTERS;

export interface Metrics {
  count(name: CounterName, labels: Readonly<Record<string, string>>): void;
  /** The Prometheus text form. */
  text(): Promise<string>;
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, { labels, help }]) => [
      name,
      new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    ]),
  );
  return {
    count: (name, labels) => counters.get(name)?.inc({ ...labels }),
    text: () => registry.metrics(),
  };
}
