export { checkConfig, loadConfig, type Config } from "./config.ts";
export {
  itemDecisionSchema,
  markedItemDecisionSchema,
  responseDecisionSchema,
  type ItemDecision,
  type ResponseDecision,
} from "./decision-log.ts";
export { coreDumpsForbidden } from "./crash.ts";
export {
  decisionEntrySchema,
  DECISIONS_KEPT,
  decisionKeeper,
  sampleDecisions,
  type DecisionEntry,
  type KeepDecision,
} from "./decision-sample.ts";
export {
  loadCorrelationKey,
  loadKeyring,
  loadRepositories,
  loadRoutes,
  loadTools,
  readText,
  redisAddress,
  trustApprovers,
  withRedisPassword,
} from "./files.ts";
export type { ReadyCheck } from "./health.ts";
export { createLog, errorFields, type Log, type LogEvent, type LogFields, type LogLevel } from "./log.ts";
export { showInstallation } from "./installation-figures.ts";
export { METRICS, OPEN_LISTS, OTHER, type Metric, type MetricName } from "./metric-table.ts";
export { createMetrics, type Metrics } from "./metrics.ts";
export {
  loadPolicyFile,
  loadPolicyProfiles,
  type Policies,
  type PolicyProfile,
  type PolicyProfiles,
} from "./policy-profiles.ts";
export { servePolicies, type ServedPolicies } from "./serve-policies.ts";
export { runService, type RunningService, type ServiceContext } from "./service.ts";
export { SERVICES, type ServiceName } from "./setting.ts";
export { SETTINGS, type SettingName } from "./settings.ts";
