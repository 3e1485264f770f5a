import { canonicalJson } from "../json/index.ts";
import type { Finding, PathScope, Policy, PolicyRequest } from "./policy.ts";

/** Tools whose reach can't be told from paths: their rules judge the command instead. */
const JUDGED_BY_COMMAND: ReadonlySet<string> = new Set(["run_command"]);

export function isJudgedByCommand(tool: string): boolean {
  return JUDGED_BY_COMMAND.has(tool);
}

/** Everything that scopes, limits and rules say about a call; `no-match` when no rule matches. */
export function findingsFor(policy: Policy, request: PolicyRequest): readonly Finding[] {
  const rules = (policy.rulesByTool.get(request.tool) ?? [])
    .filter((rule) => rule.matches(request.arguments))
    .map(({ id, decision, reason }): Finding => ({ rule: id, decision, reason }));
  return [
    ...scopeFindings(policy, request),
    ...limitFindings(policy, request),
    ...(rules.length > 0 ? rules : [forbidden("no-match", "no rule names this call")]),
  ];
}

export function scopeFindings(policy: Policy, request: PolicyRequest): readonly Finding[] {
  if (isJudgedByCommand(request.tool)) return [];
  const { reads, writes, workspace } = request.claims;
  const unclear = "the paths that the call touches can't be told from its arguments";
  return [
    ...pathFindings("paths.read", policy.paths.read, reads),
    ...pathFindings("paths.write", policy.paths.write, writes),
    ...(workspace === "read" ? [forbidden("paths.read", unclear)] : []),
    ...(workspace === "write" ? [forbidden("paths.write", unclear)] : []),
  ];
}

function pathFindings(rule: string, scope: PathScope, paths: readonly string[]): readonly Finding[] {
  if (paths.some((path) => scope.forbids(path))) return [forbidden(rule, `a path is in ${rule}.forbid`)];
  if (!paths.every((path) => scope.allows(path))) return [forbidden(rule, `a path is not in ${rule}.allow`)];
  return [];
}

function limitFindings(policy: Policy, request: PolicyRequest): readonly Finding[] {
  const bytes = Buffer.byteLength(canonicalJson(request.arguments), "utf8");
  if (bytes <= policy.limits.argsBytes) return [];
  return [forbidden("limits.argsBytes", `the arguments are longer than ${policy.limits.argsBytes} bytes`)];
}

function forbidden(rule: string, reason: string): Finding {
  return { rule, decision: "forbid", reason };
}
