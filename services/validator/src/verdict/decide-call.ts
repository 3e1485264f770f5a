// Takes schema-valid arguments, gives policy's decision on the call together with the route's standing,
// and forbids what either of them doesn't know.
import { argumentsDigest, type ItemState } from "@airlock/core/call";
import type { ErrorClass } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { evaluateCheck, evaluatePolicy, strictest, type PolicyDecision } from "@airlock/core/policy";
import { sha256Hex } from "@airlock/core/record";
import { sealClaims } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import {
  argumentClaims,
  manifestDigest,
  OWN_TOOLS,
  resourceClaims,
  type ToolManifest,
} from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import type { AdmittedRun, Grantable, Judgement } from "./judgement.ts";
import { routeFinding } from "./route-finding.ts";

export async function decideCall(
  deps: Deps,
  run: AdmittedRun,
  call: { readonly itemKey: string; readonly manifest: ToolManifest; readonly args: JsonObject },
): Promise<Judgement> {
  const { itemKey, manifest, args } = call;
  const finding = await routeFinding(deps, run, manifest.effect);
  const decision = withFinding(byPolicy(deps, run, call), finding);
  const workspace = run.plan.workspace ?? { source: "", ref: "" };
  const digest = manifestDigest(manifest);
  const grantable: Grantable = {
    tool: manifest.name,
    effect: manifest.effect,
    manifestDigest: digest,
    argumentsDigest: argumentsDigest({
      tool: manifest.name,
      manifestDigest: digest,
      arguments: args,
      workspace,
    }),
    policyDigest: decision.policyDigest,
  };
  const fields = {
    ...grantable,
    decision: decision.decision,
    rule: decision.winning,
    rules: decision.matched.map(({ rule }) => rule),
    detail: decision.reason,
    claims: sealClaims(deps.keyring, itemKey, resourceClaims(manifest, args)),
  };
  const seen: readonly ItemState[] = ["PARSED", "SCHEMA_VALID"];
  const { state, errorClass } = decided(decision);
  const settled = state === "DENIED" || state === "QUARANTINED" ? { settled: state } : {};
  const now = await redisNow(deps.redis);
  const deadlines =
    state === "AWAITING_APPROVAL"
      ? { approvalUntil: now + deps.config.approvalMs }
      : { notAfter: now + deps.config.decisionMs };
  return {
    fields: { ...fields, ...settled, ...deadlines, state, errorClass },
    path: [...seen, state],
    rule: decision.winning,
    errorClass,
    grantable: state === "POLICY_APPROVED" ? grantable : null,
  };
}

function byPolicy(
  deps: Deps,
  run: AdmittedRun,
  { manifest, args }: { readonly manifest: ToolManifest; readonly args: JsonObject },
): PolicyDecision {
  const policy = deps.policies.get(run.policy);
  if (policy === undefined) return unknownPolicy(run.policy);
  const { name: tool, effect } = manifest;
  const evaluate = OWN_TOOLS.has(tool) ? evaluateCheck : evaluatePolicy;
  return evaluate(policy, { tool, effect, arguments: args, claims: argumentClaims(manifest, args) });
}

function decided(decision: PolicyDecision): {
  readonly state: ItemState;
  readonly errorClass: ErrorClass | null;
} {
  switch (decision.decision) {
    case "allow":
    case "flag":
      return { state: "POLICY_APPROVED", errorClass: null };
    case "approve":
      return { state: "AWAITING_APPROVAL", errorClass: null };
    case "quarantine":
      return { state: "QUARANTINED", errorClass: "POLICY_QUARANTINED" };
    case "forbid":
      return {
        state: "DENIED",
        errorClass: decision.winning === "route-unverified" ? "ROUTE_UNVERIFIED" : "POLICY_FORBIDDEN",
      };
  }
}

function withFinding(
  judged: PolicyDecision,
  finding: PolicyDecision["matched"][number] | null,
): PolicyDecision {
  if (finding === null) return judged;
  const matched = [...judged.matched, finding];
  const decision = strictest(matched.map((each) => each.decision));
  const wins = decision !== judged.decision;
  return {
    ...judged,
    matched,
    decision,
    winning: wins ? finding.rule : judged.winning,
    reason: wins ? finding.reason : judged.reason,
  };
}

function unknownPolicy(name: string): PolicyDecision {
  const reason = `the policy ${name} is gone`;
  const matched = [{ rule: "policy-gone", decision: "forbid", reason }] as const;
  return { decision: "forbid", winning: "policy-gone", reason, matched, policyDigest: sha256Hex("") };
}
