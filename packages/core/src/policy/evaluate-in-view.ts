import { DECISIONS } from "./decision.ts";
import { evaluateCall } from "./evaluate-call.ts";
import { unevaluable, type PolicyDecision } from "./evaluate.ts";
import type { Policy, PolicyRequest } from "./policy.ts";
import { requestInView, type WorkspaceView } from "./real-place.ts";

/**
 * The decision on a call as its words say it and as a file system shows it, whichever is stricter. A view that fails
 * forbids, as every evaluation does that can't be finished.
 */
export async function evaluateInView(
  policy: Policy,
  request: PolicyRequest,
  view: WorkspaceView,
): Promise<PolicyDecision> {
  const named = evaluateCall(policy, request);
  try {
    const shown = await requestInView(view, request);
    if (shown === null) return named;
    const seen = evaluateCall(policy, shown);
    return rankOf(seen) >= rankOf(named) ? seen : named;
  } catch {
    // as in every evaluation: the error may quote a path
    return unevaluable(policy);
  }
}

function rankOf({ decision }: PolicyDecision): number {
  return DECISIONS.indexOf(decision);
}
