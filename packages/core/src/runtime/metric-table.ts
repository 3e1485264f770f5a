import { ITEM_STATES, TRANSITIONS } from "../call/index.ts";
import { responseBodySchema } from "../contract/index.ts";
import { ERROR_CLASSES, namesOf } from "../fault/index.ts";
import { DECISIONS } from "../policy/index.ts";
import { RUN_STATES } from "../run/index.ts";
import { SERVICES, type ServiceName } from "./setting.ts";

/** Lists that are closed once a process has read its configuration; what stands in none of them becomes `other`. */
export const OPEN_LISTS = ["digest", "policy", "queue", "route", "rule", "webhook"] as const;
export type OpenList = (typeof OPEN_LISTS)[number];

export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  /** each label with the values that it may take */
  readonly labels: Readonly<Record<string, readonly string[] | OpenList>>;
  readonly servedBy: readonly ServiceName[];
  /** of the whole installation: every replica that serves it tells the same, so replicas are never summed */
  readonly whole?: true;
  readonly buckets?: readonly number[];
  readonly help: string;
}

/** How many names an open list takes. */
export const OPEN_LIST_NAMES = 500;
export const OTHER = "other";

const OUTCOMES = responseBodySchema.shape.outcome.shape.kind.options;
const CLASSES = namesOf(ERROR_CLASSES);
const QUICK = [0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5];
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const QUEUE_STATES = ["waiting", "prioritized", "delayed", "active", "paused"] as const;

const validator = ["validator"] as const;
const executor = ["executor"] as const;
const streamer = ["streamer"] as const;

/** Every metric of Airlock's own: docs/metrics.md, the dashboard and the alerts are compared with it. */
export const METRICS = {
  airlock_jobs_handled_total: {
    kind: "counter",
    labels: { queue: "queue" },
    servedBy: SERVICES,
    help: "queue jobs that a handler took",
  },
  airlock_jobs_failed_total: {
    kind: "counter",
    labels: { queue: "queue" },
    servedBy: SERVICES,
    help: "queue jobs whose handler failed and that come back",
  },
  airlock_records_refused_total: {
    kind: "counter",
    labels: { queue: "queue" },
    servedBy: SERVICES,
    help: "jobs with a forged, edited or misplaced record",
  },
  airlock_duplicate_deliveries_total: {
    kind: "counter",
    labels: { queue: "queue" },
    servedBy: ["streamer", "validator", "executor"],
    help: "jobs that came again for an attempt that had begun, a grant that was over, or a call that had its end; they did nothing anew",
  },
  airlock_event_loop_delay_seconds: {
    kind: "gauge",
    labels: { quantile: ["0.5", "0.99", "1"] },
    servedBy: SERVICES,
    help: "by how much timers of this process were late since the last scrape",
  },
  airlock_stream_lag_seconds: {
    kind: "histogram",
    labels: { route: "route" },
    servedBy: streamer,
    buckets: SECONDS,
    help: "from the last bytes of a response until its attempt was committed",
  },
  airlock_stream_bytes_total: {
    kind: "counter",
    labels: { route: "route" },
    servedBy: streamer,
    help: "bytes of response bodies that routes sent",
  },
  airlock_outcomes_total: {
    kind: "counter",
    labels: { route: "route", outcome: OUTCOMES },
    servedBy: validator,
    help: "committed responses by outcome",
  },
  airlock_finish_mismatches_total: {
    kind: "counter",
    labels: { route: "route", class: CLASSES },
    servedBy: validator,
    help: "responses whose end contradicted their family's contract",
  },
  airlock_calls_settled_total: {
    kind: "counter",
    labels: { state: namesOf(ITEM_STATES) },
    servedBy: validator,
    help: "settled calls by final state",
  },
  airlock_quarantines_total: {
    kind: "counter",
    labels: { class: CLASSES },
    servedBy: validator,
    help: "calls that were quarantined, by error class",
  },
  airlock_policy_decisions_total: {
    kind: "counter",
    labels: { policy: "policy", decision: DECISIONS },
    servedBy: validator,
    help: "first decisions on calls, by profile",
  },
  airlock_policy_evaluation_seconds: {
    kind: "histogram",
    labels: { policy: "policy" },
    servedBy: validator,
    buckets: QUICK,
    help: "time that one evaluation of a profile took, its shadow included",
  },
  airlock_policy_info: {
    kind: "gauge",
    labels: { policy: "policy", mode: ["enforce", "shadow"], digest: "digest" },
    servedBy: ["validator", "executor"],
    help: "1 for each policy that is loaded, with its digest",
  },
  airlock_policy_reloads_total: {
    kind: "counter",
    labels: { result: ["reloaded", "failed"] },
    servedBy: ["validator", "executor"],
    help: "reloads of the policies: `reloaded`, or `failed` with the old ones kept",
  },
  airlock_policy_shadow_differences_total: {
    kind: "counter",
    labels: { policy: "policy", rule: "rule", enforced: DECISIONS, shadow: DECISIONS },
    servedBy: validator,
    help: "calls that a policy in mode shadow would have decided otherwise, by its winning rule",
  },
  airlock_approvals_decided_total: {
    kind: "counter",
    labels: { answer: ["approved", "denied", "expired"] },
    servedBy: validator,
    help: "questions to people that have their end",
  },
  airlock_route_breaker_total: {
    kind: "counter",
    labels: { route: "route", change: ["opened", "closed"] },
    servedBy: validator,
    help: "times that a route was suspended (`opened`) or taken back (`closed`)",
  },
  airlock_runs_ended_total: {
    kind: "counter",
    labels: { state: namesOf(RUN_STATES) },
    servedBy: validator,
    help: "ended runs by state",
  },
  airlock_claims_refused_total: {
    kind: "counter",
    labels: {
      reason: ["no_call", "superseded", "key_reused", "too_old", "other_approval", "approval_spent"],
    },
    servedBy: executor,
    help: "grants that an executor refused: `key_reused` is a key that came with other arguments",
  },
  airlock_calls_reconciled_total: {
    kind: "counter",
    labels: { finding: ["executed", "not_executed", "inconclusive"] },
    servedBy: executor,
    help: "calls whose end nobody saw, by what was found out: `inconclusive` waits for a person",
  },
  airlock_ledger_transitions_total: {
    kind: "counter",
    labels: { transition: namesOf(TRANSITIONS) },
    servedBy: executor,
    help: "changes of state that this executor made in the ledger",
  },
  airlock_fence_rejections_total: {
    kind: "counter",
    labels: { operation: ["begin", "unbegin", "release", "end", "renew", "conclude"] },
    servedBy: executor,
    help: "writes to the ledger that were refused because somebody else has the call, or its lease ran out",
  },
  airlock_sandbox_starts_total: {
    kind: "counter",
    labels: {
      backend: ["bwrap", "none"],
      result: ["exited", "timeout", "cancelled", "output_limit", "unknown"],
    },
    servedBy: executor,
    help: "programs that ran, by how they ended: `unknown` was not seen to end",
  },
  airlock_sandbox_refusals_total: {
    kind: "counter",
    labels: {
      reason: ["command_not_found", "path_refused", "fence_lost", "sandbox_failed", "unavailable"],
    },
    servedBy: executor,
    help: "programs that did not start: `unavailable` is a machine that lacks a guarantee, `sandbox_failed` a sandbox that did not come up",
  },
  airlock_webhook_deliveries_total: {
    kind: "counter",
    labels: { webhook: "webhook", result: ["delivered", "failed", "dead"] },
    servedBy: ["console"],
    help: "attempts to tell a webhook: `delivered`, `failed` and tried again, or `dead` and given up",
  },
  airlock_installation_read: whole(
    {},
    "1 where the figures of the whole installation could be read, else 0, and they are left out",
  ),
  airlock_queue_jobs: whole({ queue: "queue", state: QUEUE_STATES }, "jobs in a queue, by state"),
  airlock_queue_oldest_seconds: whole(
    { queue: "queue" },
    "age of the job that is next in a queue, since it was first added; 0 for none",
  ),
  airlock_approvals_pending: whole({}, "calls that wait for people"),
  airlock_approvals_oldest_seconds: whole(
    {},
    "age of the oldest question among the hundred that expire first; 0 for none",
  ),
  airlock_unknown_calls: whole({}, "calls with effects of which nobody knows whether they ran"),
  airlock_unknown_oldest_seconds: whole({}, "age of the oldest of them; 0 for none"),
  airlock_redis_memory_used_bytes: whole({}, "memory that Redis uses"),
  airlock_redis_memory_share: whole(
    {},
    "share of Redis' `maxmemory` that is used; left out where it has none",
  ),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

function whole<const Labels extends Metric["labels"]>(labels: Labels, help: string) {
  return { kind: "gauge", labels, servedBy: validator, whole: true, help } as const;
}
