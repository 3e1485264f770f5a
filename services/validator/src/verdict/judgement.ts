import type { ItemState } from "@airlock/core/call";
import type { ExecutionBody } from "@airlock/core/contract";
import type { ErrorClass } from "@airlock/core/fault";
import type { Decision } from "@airlock/core/policy";
import type { RunHash, RunPlan } from "@airlock/core/run";
import type { DecisionFields } from "./decision-fields.ts";

/** A run that passed admission: its plan is pinned, and its limits are those that its policy leaves it now. */
export type AdmittedRun = Omit<RunHash, "plan"> & {
  readonly plan: Omit<RunPlan, "limits">;
  readonly limits: RunPlan["limits"];
};

/** What a grant is signed for: all of it follows from signed records and from this validator's own files. */
export type Grantable = Pick<
  ExecutionBody,
  "tool" | "effect" | "manifestDigest" | "argumentsDigest" | "policyDigest"
>;

/** What a call's record keeps of a decision, and of a finding that came before any policy only `detail`. */
export type Decided = Partial<DecisionFields>;

/** What the validator found of one item. */
export interface Judgement {
  /** fields of the call's hash */
  readonly fields: Readonly<Record<string, string | number | object | null>>;
  /** those of them that a later decision of the same call replaces */
  readonly decided: Decided;
  /** the states that the item goes through, in order */
  readonly path: readonly ItemState[];
  readonly rule: string | null;
  readonly errorClass: ErrorClass | null;
  /** null where nothing may run */
  readonly grantable: Grantable | null;
  /** what a grant would be signed for once people have approved; null where none of them is asked */
  readonly askable: Grantable | null;
  /** what the profile's policy in mode shadow would have decided otherwise */
  readonly shadow: ShadowDifference | null;
}

export interface ShadowDifference {
  readonly rule: string;
  readonly enforced: Decision;
  readonly shadow: Decision;
}

export function quarantined(seen: readonly ItemState[], errorClass: ErrorClass, detail: string): Judgement {
  return {
    fields: { state: "QUARANTINED", settled: "QUARANTINED", errorClass, detail },
    decided: { detail },
    path: [...seen, "QUARANTINED"],
    rule: null,
    errorClass,
    grantable: null,
    askable: null,
    shadow: null,
  };
}
