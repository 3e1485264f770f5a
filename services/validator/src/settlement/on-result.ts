// Takes the executor's signed result of a grant, gives the call's settlement and what it sets free;
// refuses results of calls that were never granted, and changes nothing for one that is settled.
import { DONE, sendNotice, type Delivery, type Handled } from "@airlock/core/queue";
import { parseItemKey } from "@airlock/core/record";
import { readCall, type CallHash, type TurnHash } from "@airlock/core/run";
import { readAdmitted } from "../admission/read-admitted.ts";
import type { Deps } from "../deps.ts";
import { releaseCall } from "../release/release-call.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { logSettledItem } from "./log-settled.ts";
import { advanceTurn, endUngranted } from "./advance-turn.ts";
import { onRepeated } from "./on-repeated.ts";
import { onResolved } from "./on-resolve.ts";

type Result = Delivery<"result">["body"];

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

export async function onResult(deps: Deps, { body }: Delivery<"result">): Promise<Handled> {
  if (body.kind === "resolved") {
    await onResolved(deps, body);
    return DONE;
  }
  const parts = parseItemKey(body.itemKey);
  const [call, run] = await Promise.all([readCall(deps.redis, body.itemKey), readAdmitted(deps, body.run)]);
  if (parts === null || parts.run !== body.run || call === null || body.grant > call.grant) {
    deps.log.write("warn", "record_refused", { queue: "results", itemKey: body.itemKey });
    return DONE;
  }
  if (body.kind === "settled") {
    const { first, turn, call: settled } = await settle(deps, body, call);
    if (!first) deps.metrics.count("airlock_duplicate_deliveries_total", { queue: "results" });
    const calls = new Map(settled === null ? [] : [[body.itemKey, settled]]);
    await Promise.all([
      first ? logSettled(deps, body, { run, turn, call: settled }) : null,
      advanceTurn(deps, parts, { run, turn, calls }),
    ]);
    return DONE;
  }
  if (body.kind === "regrant") await regrant(deps, body, call);
  else await onRepeated(deps, body, call);
  await advanceTurn(deps, parts);
  return DONE;
}

async function regrant(
  deps: Deps,
  body: Extract<Result, { kind: "regrant" }>,
  call: CallHash,
): Promise<void> {
  if (call.settled !== undefined || body.grant !== call.grant) return;
  const { itemKey, grant, errorClass } = body;
  const answer = await releaseCall(deps, itemKey, {
    lastGrant: grant,
    delayMs: errorClass === "GRANT_EXPIRED" ? 0 : patienceMs(grant),
  });
  await endUngranted(deps, { itemKey, call }, answer);
}

/**
 * Two services reload at two times, and what lost a call once may lose it again: the next grant waits, longer with each
 * one that an executor gave back, and no longer than the decision holds.
 */
function patienceMs(grant: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (grant - 1), LONGEST_DELAY_MS);
}

type Settled = Extract<Result, { kind: "settled" }>;

async function settle(deps: Deps, body: Settled, known: CallHash): ReturnType<Deps["store"]["settle"]> {
  const { itemKey, state, status, errorClass, detail, contentDigest, resultBytes, durationMs } = body;
  const fields = { settled: state, status, errorClass, detail, contentDigest, resultBytes, durationMs };
  if (state !== "EXECUTED") await deps.store.noteRefused(body.run);
  if (state === "OUTCOME_UNKNOWN" && known.settled === undefined) {
    await sendNotice(deps.redis, { type: "outcome_unknown", run: body.run, itemKey, tool: known.tool });
  }
  // the executor told of the state itself when it entered it
  return deps.store.settle(itemKey, { fields, events: [], ifGrant: null });
}

async function logSettled(
  deps: Deps,
  { itemKey, state, errorClass, durationMs, resultBytes }: Settled,
  after: { readonly run: AdmittedRun | null; readonly turn: TurnHash; readonly call: CallHash | null },
): Promise<void> {
  const { run, turn, call } = after;
  deps.log.write("info", "call_settled", { itemKey, state, errorClass, durationMs, bytes: resultBytes });
  // of a call whose response goes on, the log tells when it is known what the result counts for
  if (!turn.calls.has(itemKey)) return;
  await logSettledItem(deps, itemKey, {
    ...(call === null ? {} : { call }),
    ...(run === null ? {} : { route: run.route }),
  });
}
