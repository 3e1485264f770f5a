// Takes a turn whose own calls are settled, gives what they lead to: the output is applied, where the spec asks for that,
// and the run completes; or the model is told what the workspace refused; or nobody can say, and the run ends.
import { assertNever, isErrorClass, type ErrorClass } from "@airlock/core/fault";
import type { JsonValue } from "@airlock/core/json";
import { ownCallKey, ownCallOf, type TurnParts } from "@airlock/core/record";
import { readTurn, type CallHash, type TurnHash } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { asRead } from "../outcome/as-read.ts";
import { endRun, type Ending } from "../outcome/end-run.ts";
import { committedResponse } from "../outcome/output-text.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { checkFinding, type CheckFinding } from "./check-finding.ts";
import { checkOutput } from "./check-output.ts";
import { correctOutput, type Refused } from "./correct-output.ts";
import { readOutput, type Output } from "./read-output.ts";

/** Whether the calls of a turn are the validator's own, and none of its response's. */
export function isCheckTurn(turn: TurnHash): boolean {
  return turn.calls.size > 0 && [...turn.calls.keys()].every((itemKey) => ownCallOf(itemKey) !== null);
}

/** The turn as it stands where a further call was unlocked, null where its part in the run is over. */
export async function followCheck(
  deps: Deps,
  parts: TurnParts,
  { run, turn }: { readonly run: AdmittedRun; readonly turn: TurnHash },
): Promise<TurnHash | null> {
  const attempt = { ...parts, attempt: turn.attempt };
  const applyKey = ownCallKey(attempt, "apply");
  const applied = turn.calls.has(applyKey);
  const finding = await checkFinding(deps, applied ? applyKey : ownCallKey(attempt, "check"));
  const body = asRead(deps, run, await committedResponse(deps, parts));
  const after =
    body.outcome.kind === "candidate_complete"
      ? afterCheck(finding, await readOutput(deps, run, body), applied)
      : endedBy(null);
  switch (after.kind) {
    case "end":
      await endRun(deps, parts, after.ending);
      return null;
    case "correct": {
      const { maxOutputTokens } = turn;
      await correctOutput(deps, { run, attempt, leaves: "calls", maxOutputTokens, ...after.why });
      return null;
    }
    case "apply": {
      const followed = await checkOutput(deps, { run, attempt }, "apply");
      return followed === "end_run" ? null : readTurn(deps.redis, parts.run, parts.turn);
    }
    default:
      return assertNever(after);
  }
}

type After =
  | { readonly kind: "end"; readonly ending: Ending }
  | { readonly kind: "correct"; readonly why: Pick<Refused, "reason" | "recorded"> }
  | { readonly kind: "apply" };

function afterCheck(finding: CheckFinding, output: Output, applied: boolean): After {
  const { expect, result } = output;
  if (finding.kind === "failed") return endedBy(finding.call, applied ? artifactOf(output, null) : undefined);
  if (finding.kind === "refused") {
    const reason = `the workspace refuses it: ${finding.detail}`;
    // what applies a patch names paths of it
    return { kind: "correct", why: applied ? { reason, recorded: "the workspace refuses it" } : { reason } };
  }
  // what was applied is done, whatever policy says meanwhile
  if (!applied && !result.ok) return { kind: "correct", why: { reason: result.reason } };
  if (!applied && expect.kind === "patch" && expect.apply) return { kind: "apply" };
  const artifact = artifactOf(output, finding.files);
  return { kind: "end", ending: { state: "completed", errorClass: null, artifact } };
}

/** Of a manifest the artifact is what was found of its files, with what the model says to it. */
function artifactOf({ expect, text }: Output, files: JsonValue): NonNullable<Ending["artifact"]> {
  return { kind: expect.kind, content: expect.kind === "manifest" ? JSON.stringify({ files, text }) : text };
}

/** What people did not approve, whichever way. */
const UNAPPROVED: ReadonlySet<ErrorClass> = new Set([
  "APPROVAL_DENIED",
  "APPROVAL_EXPIRED",
  "APPROVAL_REMOVED",
]);

/** Where nobody knows whether the output was applied, it is complete nevertheless, and kept. */
function endedBy(call: CallHash | null, artifact?: Ending["artifact"]): After {
  const known = call?.errorClass ?? "";
  const errorClass = isErrorClass(known) ? known : "OUTCOME_UNKNOWN";
  const unseen = call?.settled === "OUTCOME_UNKNOWN" && call.effect !== "read";
  const state = unseen ? "outcome_unknown" : UNAPPROVED.has(errorClass) ? "denied" : "escalated";
  const detail = "the output was not refused, but what it leads to could not be done";
  return {
    kind: "end",
    ending: { state, errorClass, detail, ...(unseen && artifact !== undefined ? { artifact } : {}) },
  };
}
