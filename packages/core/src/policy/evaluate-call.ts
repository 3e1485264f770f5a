// Takes a loaded policy and a call, gives policy's decision on it; of a check that the validator makes itself only scopes
// and places decide: no rule has to name it, since no model can ask for one.
import { OWN_TOOLS } from "../tool/index.ts";
import { builtIn } from "./built-in-finding.ts";
import { decideBy, evaluatePolicy, type PolicyDecision } from "./evaluate.ts";
import { placeFindings, scopeFindings } from "./findings.ts";
import type { Policy, PolicyRequest } from "./policy.ts";

const OWN = builtIn("own-check", "allow", "a check of the validator's own");

export function evaluateCall(policy: Policy, request: PolicyRequest): PolicyDecision {
  if (!OWN_TOOLS.has(request.tool)) return evaluatePolicy(policy, request);
  return decideBy(policy, () => ({
    matched: [
      OWN,
      ...scopeFindings(policy, request, null),
      ...(request.place === null ? [] : placeFindings(policy, request.place)),
    ],
    approvals: [],
  }));
}
