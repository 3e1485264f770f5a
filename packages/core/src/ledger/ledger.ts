import type { ErrorClass } from "../fault/index.ts";
import type { EffectClass } from "../tool/index.ts";
import type { Evidence, LedgerEntry } from "./entry.ts";

export interface ClaimRequest {
  readonly itemKey: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** The highest fence that the executor's own write-ahead log knows for this call; 0 for none. */
  readonly knownFence: number;
  readonly grant: number;
  /** The arguments digest: the same key with another one is key reuse. */
  readonly digest: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly expiresAt: number;
  readonly notAfter: number;
  /** Of the approval that the grant rests on, which this claim consumes; null where it rests on none. */
  readonly nonce: string | null;
}

/** What a claim finds. Only `claimed` may go on; every other answer runs nothing. */
export type ClaimAnswer =
  /** `epoch` of the workspace's lease; null for a call that only reads. */
  | { readonly kind: "claimed"; readonly fence: number; readonly epoch: number | null }
  /** A live lease, on the call or on its workspace, or an unknown call that is being looked at: come back when it ends. */
  | { readonly kind: "held"; readonly leaseMs: number }
  /** Settled before, or by this claim (cancelled, expired, frozen): publish what the ledger holds. */
  | { readonly kind: "settled" }
  /** It had begun, nobody saw its end, and nobody looks at it now: reconcile it. */
  | { readonly kind: "unknown"; readonly fence: number }
  /** Nothing runs under this grant; the call may be granted anew. */
  | { readonly kind: "regrant"; readonly fence: number; readonly errorClass: ErrorClass }
  | {
      readonly kind: "refused";
      readonly reason:
        | "no_call"
        | "superseded"
        | "key_reused"
        | "too_old"
        | "other_approval"
        | "approval_spent";
    };

export interface Beginning {
  /** Sealed: what a probe will be held against; null where there is no probe. */
  readonly expected: string | null;
  readonly sandbox?: "bwrap" | "none";
}

/** `settled`: it ended instead (cancelled, expired, another call has the workspace); publish what the ledger holds. */
export type BeginAnswer = "started" | "settled" | "stale";

/** What is kept of a call that ran. */
export interface Kept {
  readonly status: string;
  readonly errorClass: ErrorClass | null;
  /** The sealed result, or null where there is none. */
  readonly content: string | null;
  readonly contentDigest: string | null;
  readonly resultBytes: number;
  readonly durationMs: number;
}

/** How a claimed or started call ends: the transition, and what is kept of it. */
export interface Ending extends Kept {
  readonly transition: "commit" | "deny" | "lose";
  /** Of a denial by policy its reason, as the model may hear it. */
  readonly detail: string | null;
}

/** A start that an executor's write-ahead log tells of. */
export interface KnownStart {
  readonly fence: number;
  readonly grant: number;
  readonly digest: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly owner: string;
}

export type ReconcileAnswer =
  | { readonly kind: "reconciling"; readonly fence: number; readonly entry: LedgerEntry }
  | { readonly kind: "held"; readonly leaseMs: number }
  /** There is nothing to find out, or nobody but a person can. */
  | { readonly kind: "settled" };

export type Conclusion =
  | ({ readonly finding: "executed" } & Kept)
  | { readonly finding: "not_executed" }
  /** A person has to look; OUTCOME_UNKNOWN is what is published. */
  | { readonly finding: "inconclusive" };

export interface Resolution {
  readonly finding: "executed" | "not_executed";
  readonly by: string;
  readonly reason: string;
}

/**
 * An executor's book of calls: at most one start per grant, one end per call.
 * The lease is for liveness; the fence alone is safety, and every write after the claim compares it.
 * Where an answer is a boolean, false changed nothing.
 */
export interface Ledger {
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** CLAIMED to STARTED; from here on nothing leads back to execution but `unbegin`. */
  begin(itemKey: string, fence: number, beginning: Beginning): Promise<BeginAnswer>;
  /** The live holder attests that nothing ran, and will not under this fence. */
  unbegin(itemKey: string, fence: number): Promise<boolean>;
  /** False where the fence is stale: the ending is then not the outcome. The same ending again is fine. */
  end(itemKey: string, fence: number, ending: Ending): Promise<boolean>;
  /** False where the fence is stale or the lease ran out. Also renews a reconciler's lease. */
  renew(itemKey: string, fence: number, leaseMs: number): Promise<boolean>;
  /** Gives a claim back that was never begun. */
  release(itemKey: string, fence: number): Promise<boolean>;
  /** A write-ahead log says that the call had begun, and the ledger says less: it is unknown. */
  loseUnseen(itemKey: string, known: KnownStart): Promise<boolean>;
  /** Takes an unknown call to find out about it, under a fence of its own. */
  reconcile(
    itemKey: string,
    by: { readonly owner: string; readonly leaseMs: number },
  ): Promise<ReconcileAnswer>;
  /** False where the fence is stale. The same conclusion again is fine. */
  conclude(itemKey: string, fence: number, conclusion: Conclusion): Promise<boolean>;
  /** A person says what became of a call that waits for one. The same resolution again is fine. */
  resolve(itemKey: string, resolution: Resolution): Promise<boolean>;
  /** Keeps a result beside an entry whose fence it doesn't have; of several the one with the highest fence. */
  keepEvidence(itemKey: string, evidence: Omit<Evidence, "at">): Promise<boolean>;
  read(itemKey: string): Promise<LedgerEntry | null>;
}
