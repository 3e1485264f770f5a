// Takes a call whose end nobody saw, gives the one outcome that is published of it: what its tool's probe finds within a
// minute, or that nobody knows; runs nothing of the call again, and lets only one reconciler at a time conclude.
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionBody } from "@airlock/core/contract";
import type { Conclusion, LedgerEntry } from "@airlock/core/ledger";
import { DONE, type Handled } from "@airlock/core/queue";
import { errorFields } from "@airlock/core/runtime";
import { redisNow } from "@airlock/core/store";
import { endingOf } from "../call/ending.ts";
import { publishSettled } from "../call/publish-result.ts";
import type { Deps } from "../deps.ts";
import { findOut, seeDead, type Finding, type UnknownCall } from "./find-out.ts";
import { lostStart, safeFrom } from "./lost-start.ts";

/** How long the executors may find out by themselves before a person is asked. */
const RECONCILE_MS = 60_000;
const LOOK_AGAIN_MS = 500;
const PAUSE_MS = 2_000;

export async function reconcileCall(deps: Deps, grant: ExecutionBody, signal: AbortSignal): Promise<Handled> {
  const { itemKey } = grant;
  const seen = await deps.ledger.read(itemKey);
  const now = await redisNow(deps.redis);
  if (seen !== null && now < Math.min(safeFrom(deps, seen), endOf(seen))) return later(LOOK_AGAIN_MS);
  // the log of whoever began it may know how it ended
  if (seen !== null) await deps.durability.adopt(lostStart(seen).owner);
  const { owner, config } = deps;
  const taken = await deps.ledger.reconcile(itemKey, { owner, leaseMs: config.leaseMs });
  if (taken.kind === "held") return later(taken.leaseMs);
  if (taken.kind === "reconciling") {
    const { fence, entry } = taken;
    const call = { grant, entry, fence, lost: lostStart(entry) };
    const finding = await findInTime(deps, call, signal);
    if (signal.aborted) return later(LOOK_AGAIN_MS); // what was cut short has found nothing out
    const concluded = await deps.ledger.conclude(itemKey, fence, conclusionOf(deps, itemKey, finding));
    if (concluded) deps.metrics.count("airlock_calls_reconciled_total", { finding });
    deps.log.write("info", "call_reconciled", {
      itemKey,
      tool: grant.tool,
      state: concluded ? finding : "stale",
    });
  }
  return (await publishSettled(deps, itemKey)) ? DONE : later(LOOK_AGAIN_MS);
}

/** Looks again for as long as there is time: a workspace that can't be opened now may open in a while. */
async function findInTime(deps: Deps, call: UnknownCall, signal: AbortSignal): Promise<Finding> {
  const { itemKey, tool } = call.grant;
  const leftMs = Math.max(0, endOf(call.entry) - (await redisNow(deps.redis)));
  const either = AbortSignal.any([signal, AbortSignal.timeout(leftMs)]);
  const look = leftMs > 0 ? findOut : endLate;
  do {
    try {
      return await look(deps, call, either);
    } catch (error) {
      const place = "reconciler";
      deps.log.write("warn", "handler_failed", { place, itemKey, tool, ...errorFields(error) });
      await sleep(PAUSE_MS, undefined, { signal: either }).catch(() => undefined);
    }
  } while (!either.aborted);
  return "inconclusive";
}

/** What nobody probes any more must not go on running either, before a person looks. */
async function endLate(deps: Deps, call: UnknownCall): Promise<Finding> {
  await seeDead(deps, call);
  return "inconclusive";
}

/** When a person is asked, in milliseconds of Redis' clock. */
function endOf({ unknownAt = 0 }: LedgerEntry): number {
  return unknownAt + RECONCILE_MS;
}

const RECOVERED = {
  recovered: true,
  note: "nobody saw the end of the call; what it was to do was found done",
} as const;

function conclusionOf({ keyring }: Deps, itemKey: string, finding: Finding): Conclusion {
  if (finding !== "executed") return { finding };
  const outcome = { status: "ok", errorClass: null, content: RECOVERED } as const;
  const { transition: _, detail: __, ...kept } = endingOf(keyring, { itemKey, outcome, durationMs: 0 });
  return { finding, ...kept };
}

function later(delayMs: number): Handled {
  return { kind: "later", delayMs: Math.min(delayMs, LOOK_AGAIN_MS) };
}
