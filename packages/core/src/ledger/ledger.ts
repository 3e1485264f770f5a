import type { ErrorClass } from "../fault/index.ts";
import type { EffectClass } from "../tool/index.ts";
import type { LedgerEntry } from "./entry.ts";

export interface ClaimRequest {
  readonly itemKey: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly grant: number;
  /** The arguments digest: the same key with another one is key reuse. */
  readonly digest: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly expiresAt: number;
  readonly notAfter: number;
}

/** What a claim finds. Only `claimed` may go on; every other answer runs nothing. */
export type ClaimAnswer =
  | { readonly kind: "claimed"; readonly fence: number }
  /** A live lease, on the call or on its workspace: come back when it ends. */
  | { readonly kind: "held"; readonly leaseMs: number }
  /** Settled before, or by this claim (cancelled, expired, unknown): publish what the ledger holds. */
  | { readonly kind: "settled" }
  /** Nothing runs under this grant; the call may be granted anew. */
  | { readonly kind: "regrant"; readonly fence: number; readonly errorClass: ErrorClass }
  | { readonly kind: "refused"; readonly reason: "no_call" | "superseded" | "key_reused" };

export type BeginAnswer = "started" | "settled" | "stale";

/** How a claimed or started call ends: the transition, and what is kept of it. */
export interface Ending {
  readonly transition: "commit" | "deny" | "lose";
  readonly status: string;
  readonly errorClass: ErrorClass | null;
  /** Of a denial by policy its reason, as the model may hear it. */
  readonly detail: string | null;
  /** The sealed result, or null where there is none. */
  readonly content: string | null;
  readonly contentDigest: string | null;
  readonly resultBytes: number;
  readonly durationMs: number;
}

/**
 * An executor's book of calls: at most one start per grant, one end per call.
 * The lease is for liveness; the fence alone is safety, and every write after the claim compares it.
 */
export interface Ledger {
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** CLAIMED to STARTED; from here on nothing leads back to execution. */
  begin(itemKey: string, fence: number): Promise<BeginAnswer>;
  /** False where the fence is stale: the ending is then not the outcome. */
  end(itemKey: string, fence: number, ending: Ending): Promise<boolean>;
  /** False where the fence is stale or the lease ran out. */
  renew(itemKey: string, fence: number, leaseMs: number): Promise<boolean>;
  /** Gives a claim back that was never begun. */
  release(itemKey: string, fence: number): Promise<boolean>;
  read(itemKey: string): Promise<LedgerEntry | null>;
}
