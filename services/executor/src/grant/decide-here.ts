import type { ExecutionBody } from "@airlock/core/contract";
import type { JsonObject } from "@airlock/core/json";
import {
  evaluateCall,
  evaluateInView,
  readScope,
  tellableReason,
  writeScope,
  type WorkspaceView,
} from "@airlock/core/policy";
import { argumentClaims, normalizeWorkspacePath, type ToolManifest } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import type { CallRefusal } from "./open-call.ts";

/**
 * The executor decides again with its own copy of the policy, and with its own view of the workspace once there is one.
 * It may only be stricter, so null means that the grant holds. Another version of the policy says nothing about the
 * call: the validator decides it anew.
 */
export async function decideHere(
  deps: Pick<Deps, "policies">,
  grant: ExecutionBody,
  call: {
    readonly manifest: ToolManifest;
    readonly args: JsonObject;
    /** null before there is a workspace */
    readonly view: WorkspaceView | null;
  },
): Promise<CallRefusal | null> {
  const { manifest, args, view } = call;
  const policy = deps.policies.get(grant.policy)?.enforced;
  if (policy?.digest !== grant.policyDigest) {
    const detail = "the executor has another version of the policy";
    return { ok: false, errorClass: "POLICY_CHANGED", detail, regrant: true };
  }
  const claims = argumentClaims(manifest, args);
  const { name: tool, effect } = manifest;
  const request = { tool, effect, arguments: args, claims, place: grant.workspace };
  const decided = view === null ? evaluateCall(policy, request) : await evaluateInView(policy, request, view);
  if (decided.decision === "allow" || decided.decision === "flag") return null;
  if (decided.decision === "approve" && isApproved(grant, decided.approval?.quorum ?? 1)) return null;
  return { ok: false, errorClass: "POLICY_CHANGED", detail: tellableReason(decided), tellable: true };
}

/** By as many as this executor's policy asks for: their answers were judged before. */
function isApproved({ approval }: ExecutionBody, quorum: number): boolean {
  return approval !== undefined && approval.quorum >= quorum;
}

/** Whether the policy lets a run read or write a path that no argument names; what can't be told is out of bounds. */
export function pathScopes(deps: Pick<Deps, "policies">, profile: string) {
  const policy = deps.policies.get(profile)?.enforced;
  if (policy === undefined) return () => false;
  const scopes = { read: readScope(policy), write: writeScope(policy) };
  return (use: "read" | "write", path: string): boolean => {
    const normal = normalizeWorkspacePath(path);
    return normal !== null && scopes[use].allows(normal) && !scopes[use].forbids(normal);
  };
}
