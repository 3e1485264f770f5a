// Takes schema-valid arguments, gives policy's decision on the call together with the route's standing,
// and forbids what either of them doesn't know.
import { argumentsDigest, type ItemState } from "@airlock/core/call";
import type { ErrorClass } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { strictest, type PolicyDecision } from "@airlock/core/policy";
import { parseItemKey } from "@airlock/core/record";
import { sealClaims } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import { argumentClaims, manifestDigest, resourceClaims, type ToolManifest } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import type { AdmittedRun, Grantable, Judgement } from "./judgement.ts";
import { decisionFields } from "./decision-fields.ts";
import { evaluateProfile } from "./evaluate-profile.ts";
import { killFinding } from "./kill-finding.ts";
import { routeFinding } from "./route-finding.ts";

export async function decideCall(
  deps: Deps,
  run: AdmittedRun,
  call: { readonly itemKey: string; readonly manifest: ToolManifest; readonly args: JsonObject },
): Promise<Judgement> {
  const { itemKey, manifest, args } = call;
  const claims = argumentClaims(manifest, args);
  const place = run.plan.workspace;
  const request = { tool: manifest.name, effect: manifest.effect, arguments: args, claims, place };
  const started = performance.now();
  const { judged, shadow } = evaluateProfile(deps.policies.get(run.policy), run.policy, request);
  const seconds = (performance.now() - started) / 1_000;
  deps.metrics.observe("airlock_policy_evaluation_seconds", { policy: run.policy }, seconds);
  const [stopped, unfit] = await Promise.all([
    killFinding(deps, run, { run: runOf(itemKey), tool: manifest.name }),
    routeFinding(deps, run, manifest.effect),
  ]);
  const decision = withFinding(withFinding(judged, stopped), unfit);
  const grantable = grantableOf(run, { manifest, args, policyDigest: decision.policyDigest });
  const kept = decisionFields(decision, shadow);
  const seen: readonly ItemState[] = ["PARSED", "SCHEMA_VALID"];
  const { state, errorClass } = decided(decision);
  const settled = state === "DENIED" || state === "QUARANTINED" ? { settled: state } : {};
  return {
    fields: {
      ...grantable,
      ...kept,
      claims: sealClaims(deps.keyring, itemKey, resourceClaims(manifest, args)),
      ...settled,
      ...deadlines(deps, state, { decision, now: await redisNow(deps.redis) }),
      state,
      errorClass,
    },
    decided: kept,
    path: [...seen, state],
    rule: decision.winning,
    errorClass,
    grantable: state === "POLICY_APPROVED" ? grantable : null,
    askable: state === "AWAITING_APPROVAL" ? grantable : null,
    shadow,
  };
}

function grantableOf(
  run: AdmittedRun,
  call: { readonly manifest: ToolManifest; readonly args: JsonObject; readonly policyDigest: string },
): Grantable {
  const { manifest, args, policyDigest } = call;
  const { name: tool, effect } = manifest;
  const workspace = run.plan.workspace ?? { source: "", ref: "" };
  const digest = manifestDigest(manifest);
  return {
    tool,
    effect,
    manifestDigest: digest,
    argumentsDigest: argumentsDigest({ tool, manifestDigest: digest, arguments: args, workspace }),
    policyDigest,
  };
}

/** A call that waits for a person always has an end to it: the rule's own, within the operator's bound. */
function deadlines(
  { config }: Deps,
  state: ItemState,
  { decision, now }: { readonly decision: PolicyDecision; readonly now: number },
): { readonly approvalUntil: number } | { readonly notAfter: number } {
  if (state !== "AWAITING_APPROVAL") return { notAfter: now + config.decisionMs };
  return { approvalUntil: now + Math.min(decision.approval?.ttlMs ?? config.approvalMs, config.approvalMs) };
}

/** Findings that forbid under a class of their own. */
const FORBIDDEN_AS: ReadonlyMap<string, ErrorClass> = new Map([
  ["kill-switch", "KILL_SWITCH"],
  ["route-unverified", "ROUTE_UNVERIFIED"],
]);

function runOf(itemKey: string): string {
  return parseItemKey(itemKey)?.run ?? "";
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
      if (decision.approval?.onAsk === "deny") return { state: "DENIED", errorClass: "APPROVAL_NOT_ASKED" };
      return { state: "AWAITING_APPROVAL", errorClass: null };
    case "quarantine":
      return { state: "QUARANTINED", errorClass: "POLICY_QUARANTINED" };
    case "forbid":
      return {
        state: "DENIED",
        errorClass: FORBIDDEN_AS.get(decision.winning) ?? "POLICY_FORBIDDEN",
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
    approval: wins ? null : judged.approval,
  };
}
