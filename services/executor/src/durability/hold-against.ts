// Calls of a log in, Redis brought to what the log knows better: a start that Redis forgot or nobody ended is an unknown
// outcome, an end that Redis lacks is ended again, and what comes too late for that is kept as evidence.
import type { ItemState } from "@airlock/core/call";
import { assertNever } from "@airlock/core/fault";
import type { Ending, Ledger, LedgerEntry } from "@airlock/core/ledger";
import type { LoggedCall, LoggedCalls } from "./read-log.ts";

/** The end of a call whose holder is gone. */
const LOST: Ending = {
  transition: "lose",
  status: "unknown",
  errorClass: "OUTCOME_UNKNOWN",
  detail: null,
  content: null,
  contentDigest: null,
  resultBytes: 0,
  durationMs: 0,
};

/** What Redis has to be told of one call. */
export type Gap = "none" | "lose" | "lose_unseen" | "end" | "recover" | "keep_evidence";

/** States that say less than a start does. */
const LESS_THAN_STARTED: readonly (ItemState | null)[] = [null, "POLICY_APPROVED", "CLAIMED"];

/** `running`: the call runs in this process, so that its start is no gap. */
export function gapOf(
  { started, committed }: LoggedCall,
  entry: Pick<LedgerEntry, "state" | "fence" | "contentDigest"> | null,
  running: boolean,
): Gap {
  const state = entry?.state ?? null;
  const fence = entry?.fence ?? 0;
  if (fence > started.fence) return committed === null ? "none" : evidenceOf(committed, entry);
  if (LESS_THAN_STARTED.includes(state)) return committed === null ? "lose_unseen" : "recover";
  if (state === "STARTED") {
    if (committed !== null) return "end";
    return running ? "none" : "lose";
  }
  if (state === "OUTCOME_UNKNOWN" && committed !== null) return "recover";
  return committed === null ? "none" : evidenceOf(committed, entry);
}

/** What Redis has as the end already is no news. */
function evidenceOf(
  committed: NonNullable<LoggedCall["committed"]>,
  entry: Pick<LedgerEntry, "contentDigest"> | null,
): Gap {
  return entry?.contentDigest === committed.ending.contentDigest ? "none" : "keep_evidence";
}

export interface HoldingDeps {
  readonly ledger: Ledger;
  readonly owner: string;
  readonly leaseMs: number;
  readonly running: (itemKey: string) => boolean;
  readonly onGap: (call: LoggedCall, gap: Gap) => void;
}

/** Repeating it is harmless. Where Redis doesn't answer it throws, and has to be repeated. */
export async function holdAgainst(deps: HoldingDeps, calls: LoggedCalls): Promise<void> {
  for (const [itemKey, call] of calls) {
    const gap = gapOf(call, await deps.ledger.read(itemKey), deps.running(itemKey));
    if (gap === "none") continue;
    deps.onGap(call, gap);
    await close(deps, call, gap);
  }
}

async function close(deps: HoldingDeps, call: LoggedCall, gap: Exclude<Gap, "none">): Promise<void> {
  const { ledger } = deps;
  const { itemKey, fence } = call.started;
  switch (gap) {
    case "lose":
      await ledger.end(itemKey, fence, LOST);
      return;
    case "lose_unseen":
      await ledger.loseUnseen(itemKey, call.started);
      return;
    case "end":
      if (call.committed === null || (await ledger.end(itemKey, fence, call.committed.ending))) return;
      return keepEvidence(ledger, call);
    case "recover":
      return recover(deps, call);
    case "keep_evidence":
      return keepEvidence(ledger, call);
    default:
      return assertNever(gap);
  }
}

/** The holder itself wrote down, while the call was its own, how it ended: no probe could know better. */
async function recover({ ledger, owner, leaseMs }: HoldingDeps, call: LoggedCall): Promise<void> {
  const { started, committed } = call;
  if (committed === null) return;
  await ledger.loseUnseen(started.itemKey, started);
  const answer = await ledger.reconcile(started.itemKey, { owner, leaseMs });
  const done =
    answer.kind === "reconciling" &&
    (await ledger.conclude(started.itemKey, answer.fence, { finding: "executed", ...committed.ending }));
  if (!done) await keepEvidence(ledger, call);
}

async function keepEvidence(ledger: Ledger, { started, committed }: LoggedCall): Promise<void> {
  if (committed === null) return;
  const { status, contentDigest } = committed.ending;
  await ledger.keepEvidence(started.itemKey, { fence: started.fence, status, contentDigest });
}
