import { BUILT_IN_FINDINGS } from "../policy/index.ts";
import type { ToolCatalog } from "../tool/index.ts";
import { errorFields, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { loadPolicyProfiles, type Policies, type PolicyProfiles } from "./policy-profiles.ts";

export interface ServedPolicies {
  readonly policies: Policies;
  readonly close: () => void;
}

/**
 * Loads the profiles of a folder, and again on each SIGHUP: all of them or none. A reload that fails keeps what was
 * loaded before, and says so in the log and in a metric.
 */
export function servePolicies(
  folder: string,
  deps: {
    readonly catalog: ToolCatalog;
    readonly log: Log;
    readonly metrics: Pick<Metrics, "count" | "show" | "allow">;
  },
): ServedPolicies {
  const { catalog, log, metrics } = deps;
  let current = loadPolicyProfiles(folder, catalog);
  logProfiles(log, "policy_loaded", current);
  showProfiles(metrics, current);
  const reload = (): void => {
    try {
      const next = loadPolicyProfiles(folder, catalog);
      logProfiles(log, "policy_reloaded", next);
      current = next;
      showProfiles(metrics, current);
      metrics.count("airlock_policy_reloads_total", { result: "reloaded" });
    } catch (error) {
      metrics.count("airlock_policy_reloads_total", { result: "failed" });
      // whatever it was: a service that goes on with what it has is the point
      log.write("error", "policy_reload_failed", errorFields(error));
    }
  };
  process.on("SIGHUP", reload);
  return {
    policies: { get: (name) => current.get(name), keys: () => current.keys() },
    close: () => void process.off("SIGHUP", reload),
  };
}

function logProfiles(log: Log, event: "policy_loaded" | "policy_reloaded", profiles: PolicyProfiles): void {
  for (const [policy, { enforced, shadow }] of profiles) {
    for (const each of shadow === null ? [enforced] : [enforced, shadow]) {
      log.write("info", event, { policy, state: each.mode, digest: each.digest });
      for (const detail of each.warnings) log.write("warn", "policy_rule_unreachable", { policy, detail });
    }
  }
}

function showProfiles(metrics: Pick<Metrics, "allow" | "show">, profiles: PolicyProfiles): void {
  const loaded = [...profiles].flatMap(([policy, { enforced, shadow }]) =>
    (shadow === null ? [enforced] : [enforced, shadow]).map((each) => ({ policy, each })),
  );
  metrics.allow("policy", profiles.keys());
  metrics.allow("rule", BUILT_IN_FINDINGS);
  for (const { each } of loaded) {
    metrics.allow("digest", [each.digest]);
    for (const { rulesByTool } of each.layers)
      for (const rules of rulesByTool.values())
        metrics.allow(
          "rule",
          rules.map(({ id }) => id),
        );
  }
  const readings = loaded.map(({ policy, each: { mode, digest } }) => ({
    labels: { policy, mode, digest },
    value: 1,
  }));
  metrics.show("airlock_policy_info", readings);
}
