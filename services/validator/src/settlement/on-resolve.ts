// Takes a person's signed finding on a call of unknown outcome, gives the executors of its pool the order to end it so, and
// the person what came of that; refuses at once a finding on a call that waits for none.
import type { ItemState } from "@airlock/core/call";
import type { ResolveBody, ResultBody } from "@airlock/core/contract";
import { createLedger, type LedgerEntry } from "@airlock/core/ledger";
import { parseItemKey } from "@airlock/core/record";
import { readPools, readRun, type Action, type ActionAnswer } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { choosePool } from "../pool/choose-pool.ts";
import { wellFormed } from "../quarantine/well-formed.ts";

type Resolved = Extract<ResultBody, { kind: "resolved" }>;

export async function onResolve(deps: Deps, body: ResolveBody): Promise<void> {
  const { run, target, id, finding } = body;
  const action = actionOf({ ...body, itemKey: target, by: body.requestedBy });
  const entry = parseItemKey(target)?.run === run ? await createLedger(deps.redis).read(target) : null;
  const refusal = parseItemKey(target)?.run === run ? refusalOf(entry, action) : "target_refused";
  if (refusal !== null) return answer(deps, action, refusal);
  const { by, reason } = action;
  const pool = await poolFor(deps, run);
  const order = { version: 1, run, id, itemKey: target, pool, finding, by, reason } as const;
  await deps.publisher.publish(deps.publisher.sign({ purpose: "resolution", body: order }));
}

/** What an executor says of such an order is the answer to the command behind it. */
export async function onResolved(deps: Deps, body: Resolved): Promise<void> {
  await answer(deps, actionOf(body), body.done ? "resolved" : "resolved_before");
}

/** Why a finding is of no use; null where the call waits for one. */
const REFUSALS: Partial<Record<ItemState, ActionAnswer>> = {
  OUTCOME_UNKNOWN: "still_reconciled",
  RECONCILING: "still_reconciled",
};

function refusalOf(entry: LedgerEntry | null, { by, reason, finding }: Action): ActionAnswer | null {
  if (entry === null) return "no_call";
  if (entry.state === "NEEDS_HUMAN") return null;
  const { resolution } = entry;
  if (resolution === undefined) return REFUSALS[entry.state] ?? "not_unknown";
  // the same finding again, as a command that is delivered again is: the executors have the answer to it
  const same = resolution.by === by && resolution.reason === reason && resolution.finding === finding;
  return same ? null : "resolved_before";
}

/** The pool that holds the run's workspace, and its frozen calls; any other live one where that one is gone. */
async function poolFor(deps: Deps, run: string): Promise<string> {
  const bound = (await readRun(deps.redis, run))?.pool;
  const [pools, now] = await Promise.all([readPools(deps.redis), redisNow(deps.redis)]);
  const own = bound === undefined ? null : choosePool(pools, { allowed: [bound], now });
  return own ?? choosePool(pools, { allowed: [], now }) ?? bound ?? UNBOUND;
}

/** Where orders wait that no executor is there for. */
const UNBOUND = "default";

async function answer(deps: Deps, action: Action, said: ActionAnswer): Promise<void> {
  await deps.store.noteAnswer(action, said);
  await deps.store.audit(action, said);
  deps.log.write("info", "call_resolved", { itemKey: action.target, outcome: said });
}

function actionOf(body: {
  readonly run: string;
  readonly id: string;
  readonly itemKey: string;
  readonly finding: ResolveBody["finding"];
  readonly by: string;
  readonly reason: string;
}): Action {
  const { run, id, itemKey, finding, by, reason } = body;
  const { turn = 0, attempt = 0 } = parseItemKey(itemKey) ?? {};
  return {
    id,
    kind: "resolve",
    run,
    target: itemKey,
    round: 0,
    by: wellFormed(by),
    reason: wellFormed(reason),
    finding,
    turn,
    attempt,
  };
}
