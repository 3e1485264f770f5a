/** Of each alert, series under which it fires with these labels, and series under which it keeps silent. */
export interface AlertCase {
  readonly fires: Readonly<Record<string, string>>;
  readonly silent: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** An hour at one value, a sample each minute. */
const at = (value: number): string => `${value}+0x90`;
/** Grows by as much each minute. */
const growing = (step: number): string => `0+${step}x90`;
/** Two replicas tell the same: what sums them is wrong by half. */
const replicas = (name: string, labels: string, values: string): Readonly<Record<string, string>> => ({
  [`${name}{${labels}instance="a"}`]: values,
  [`${name}{${labels}instance="b"}`]: values,
});
const whole = (name: string, value: number, labels = ""): Readonly<Record<string, string>> =>
  replicas(name, labels, at(value));

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  AirlockServiceDown: {
    fires: { 'up{job="airlock-validator", instance="v"}': at(0) },
    silent: { 'up{job="airlock-validator", instance="v"}': at(1), 'up{job="else", instance="v"}': at(0) },
    labels: { job: "airlock-validator", instance: "v" },
  },
  AirlockInstallationUnread: {
    fires: whole("airlock_installation_read", 0),
    silent: {
      'airlock_installation_read{instance="a"}': at(0),
      'airlock_installation_read{instance="b"}': at(1),
    },
  },
  AirlockRedisMemoryHigh: {
    fires: whole("airlock_redis_memory_share", 0.71),
    silent: whole("airlock_redis_memory_share", 0.6),
  },
  AirlockRedisMemoryCritical: {
    fires: whole("airlock_redis_memory_share", 0.95),
    silent: whole("airlock_redis_memory_share", 0.6),
  },
  AirlockRedisMemoryUnbounded: {
    fires: whole("airlock_installation_read", 1),
    silent: { ...whole("airlock_installation_read", 1), ...whole("airlock_redis_memory_share", 0.1) },
  },
  AirlockQueueOld: {
    fires: whole("airlock_queue_oldest_seconds", 400, 'queue="turns", '),
    silent: whole("airlock_queue_oldest_seconds", 200, 'queue="turns", '),
    labels: { queue: "turns" },
  },
  AirlockQueueStuck: {
    fires: {
      ...whole("airlock_queue_jobs", 5, 'queue="turns", state="waiting", '),
      ...whole("airlock_queue_jobs", 0, 'queue="turns", state="active", '),
      ...whole("airlock_queue_jobs", 2, 'queue="items", state="active", '),
    },
    silent: {
      ...whole("airlock_queue_jobs", 5, 'queue="turns", state="waiting", '),
      ...whole("airlock_queue_jobs", 1, 'queue="turns", state="active", '),
      ...whole("airlock_queue_jobs", 9, 'queue="approvals", state="delayed", '),
    },
    labels: { queue: "turns" },
  },
  AirlockJobsFail: {
    fires: { 'airlock_jobs_failed_total{queue="items"}': growing(6) },
    silent: { 'airlock_jobs_failed_total{queue="items"}': at(6) },
    labels: { queue: "items" },
  },
  AirlockRecordsRefused: {
    fires: { 'airlock_records_refused_total{queue="items"}': growing(1) },
    silent: { 'airlock_records_refused_total{queue="items"}': at(1) },
    labels: { queue: "items" },
  },
  AirlockKeyReused: {
    fires: { 'airlock_claims_refused_total{reason="key_reused"}': growing(1) },
    silent: { 'airlock_claims_refused_total{reason="superseded"}': growing(1) },
  },
  AirlockUnknownOutcomes: {
    fires: whole("airlock_unknown_oldest_seconds", 301),
    silent: whole("airlock_unknown_oldest_seconds", 100),
  },
  AirlockFenceRejections: {
    fires: { 'airlock_fence_rejections_total{operation="end"}': growing(10) },
    silent: { 'airlock_fence_rejections_total{operation="end"}': at(10) },
  },
  AirlockDuplicateDeliveries: {
    fires: { 'airlock_duplicate_deliveries_total{queue="turns"}': growing(60) },
    silent: { 'airlock_duplicate_deliveries_total{queue="turns"}': growing(6) },
    labels: { queue: "turns" },
  },
  AirlockSandboxRefused: {
    fires: { 'airlock_sandbox_refusals_total{reason="unavailable"}': growing(1) },
    silent: { 'airlock_sandbox_refusals_total{reason="command_not_found"}': growing(1) },
    labels: { reason: "unavailable" },
  },
  AirlockApprovalsOld: {
    fires: whole("airlock_approvals_oldest_seconds", 901),
    silent: whole("airlock_approvals_oldest_seconds", 500),
  },
  AirlockApprovalsExpire: {
    fires: { 'airlock_approvals_decided_total{answer="expired"}': growing(1) },
    silent: { 'airlock_approvals_decided_total{answer="denied"}': growing(1) },
  },
  AirlockRouteSuspended: {
    fires: { 'airlock_route_breaker_total{route="cheap", change="opened"}': growing(1) },
    silent: { 'airlock_route_breaker_total{route="cheap", change="closed"}': growing(1) },
    labels: { route: "cheap" },
  },
  AirlockFinishMismatches: {
    fires: {
      'airlock_finish_mismatches_total{route="cheap", class="SIGNAL_CONFLICT"}': growing(1),
      'airlock_outcomes_total{route="cheap", outcome="truncated"}': growing(10),
    },
    silent: {
      'airlock_finish_mismatches_total{route="cheap", class="SIGNAL_CONFLICT"}': growing(1),
      'airlock_outcomes_total{route="cheap", outcome="truncated"}': growing(100),
    },
    labels: { route: "cheap" },
  },
  AirlockQuarantines: {
    fires: {
      'airlock_quarantines_total{class="JSON_SYNTAX"}': growing(3),
      'airlock_calls_settled_total{state="QUARANTINED"}': growing(3),
      'airlock_calls_settled_total{state="EXECUTED"}': growing(7),
    },
    silent: {
      'airlock_quarantines_total{class="JSON_SYNTAX"}': growing(1),
      'airlock_calls_settled_total{state="EXECUTED"}': growing(9),
    },
  },
  AirlockPolicyReloadFailed: {
    fires: { 'airlock_policy_reloads_total{service="executor", result="failed"}': growing(1) },
    silent: { 'airlock_policy_reloads_total{service="executor", result="reloaded"}': growing(1) },
    labels: { service: "executor" },
  },
  AirlockPoliciesDiffer: {
    fires: {
      'airlock_policy_info{policy="p", mode="enforce", digest="a", service="validator"}': at(1),
      'airlock_policy_info{policy="p", mode="enforce", digest="b", service="executor"}': at(1),
    },
    silent: {
      'airlock_policy_info{policy="p", mode="enforce", digest="a", service="validator"}': at(1),
      'airlock_policy_info{policy="p", mode="enforce", digest="a", service="executor"}': at(1),
      'airlock_policy_info{policy="p", mode="shadow", digest="b", service="executor"}': at(1),
    },
    labels: { policy: "p", mode: "enforce" },
  },
  AirlockEventLoopSlow: {
    fires: { 'airlock_event_loop_delay_seconds{service="executor", quantile="0.99"}': at(2) },
    silent: { 'airlock_event_loop_delay_seconds{service="executor", quantile="1"}': at(2) },
    labels: { service: "executor", quantile: "0.99" },
  },
  AirlockStreamLag: {
    fires: {
      'airlock_stream_lag_seconds_bucket{route="cheap", le="1"}': at(0),
      'airlock_stream_lag_seconds_bucket{route="cheap", le="5"}': growing(60),
      'airlock_stream_lag_seconds_bucket{route="cheap", le="+Inf"}': growing(60),
    },
    silent: {
      'airlock_stream_lag_seconds_bucket{route="cheap", le="0.1"}': growing(60),
      'airlock_stream_lag_seconds_bucket{route="cheap", le="+Inf"}': growing(60),
    },
    labels: { route: "cheap" },
  },
  AirlockPolicySlow: {
    fires: {
      'airlock_policy_evaluation_seconds_bucket{policy="p", le="0.1"}': at(0),
      'airlock_policy_evaluation_seconds_bucket{policy="p", le="0.5"}': growing(60),
      'airlock_policy_evaluation_seconds_bucket{policy="p", le="+Inf"}': growing(60),
    },
    silent: {
      'airlock_policy_evaluation_seconds_bucket{policy="p", le="0.01"}': growing(60),
      'airlock_policy_evaluation_seconds_bucket{policy="p", le="+Inf"}': growing(60),
    },
    labels: { policy: "p" },
  },
  AirlockWebhookDead: {
    fires: { 'airlock_webhook_deliveries_total{webhook="chat", result="dead"}': growing(1) },
    silent: { 'airlock_webhook_deliveries_total{webhook="chat", result="failed"}': growing(1) },
    labels: { webhook: "chat" },
  },
};
