// Takes a call whose effect an older one had, or may have had, gives what the run's policy says of that: a person is
// asked, the older call's result stands for both, or the call is denied; changes nothing for one that was granted anew.
import type { ItemState } from "@airlock/core/call";
import type { ResultBody, RunEvent } from "@airlock/core/contract";
import type { ErrorClass } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import { readCall, type CallHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import { askPeople } from "../approval/ask-people.ts";
import type { Deps } from "../deps.ts";
import { admittedRun } from "../release/admitted-run.ts";
import { decideAgain } from "../release/release-call.ts";
import { endUngranted } from "./advance-turn.ts";
import { logSettledItem } from "./log-settled.ts";
import { settledEvent } from "./settled-event.ts";

type Repeated = Extract<ResultBody, { kind: "redecide" }>;

export async function onRepeated(deps: Deps, body: Repeated, call: CallHash): Promise<void> {
  const { itemKey, grant, repeats } = body;
  if (call.settled !== undefined || call.state !== "POLICY_APPROVED" || grant !== call.grant) return;
  const run = await admittedRun(deps, body.run);
  if (run === null) return;
  const { grantable, askable, decided } = await decideAgain(deps, run, itemKey);
  if (grantable === null && askable === null) {
    await endUngranted(deps, { itemKey, call }, { kind: "refused", decided });
    return;
  }
  const defaults = deps.policies.get(run.policy)?.enforced.defaults;
  switch (defaults?.onRepeatEffect ?? "deny") {
    case "deny":
      return deny(deps, { itemKey, call }, "REPEATED_EFFECT");
    case "return_recorded":
      return returnRecorded(deps, { itemKey, call }, repeats);
    case "approve": {
      if (defaults?.onAskNonInteractive !== "park")
        return deny(deps, { itemKey, call }, "APPROVAL_NOT_ASKED");
      const ttlMs = Math.min(defaults.approvalTtlMs ?? deps.config.approvalMs, deps.config.approvalMs);
      const approvalUntil = (await redisNow(deps.redis)) + ttlMs;
      const fields = { approvalUntil, repeats };
      const events = (["SCHEMA_VALID", "AWAITING_APPROVAL"] as const).map((state) =>
        stateEvent(itemKey, call, { state, errorClass: "REPEATED_EFFECT" }),
      );
      await deps.store.askAgain(itemKey, grant, { fields, events });
      await askPeople(deps, run, itemKey);
    }
  }
}

interface Ended {
  readonly itemKey: string;
  readonly call: CallHash;
}

async function deny(deps: Deps, { itemKey, call }: Ended, errorClass: ErrorClass): Promise<void> {
  const fields = { settled: "DENIED", errorClass } as const;
  await deps.store.noteRefused(parseItemKey(itemKey)?.run ?? "");
  const events = [settledEvent(itemKey, call, fields)];
  const { first } = await deps.store.settle(itemKey, { fields, events, ifGrant: call.grant });
  if (first) await logSettledItem(deps, itemKey);
}

/** Only a result that this validator took itself, of the same run, can stand for another call's. */
async function returnRecorded(deps: Deps, { itemKey, call }: Ended, owner: string): Promise<void> {
  const same = parseItemKey(owner)?.run === parseItemKey(itemKey)?.run;
  const recorded = same ? await readCall(deps.redis, owner) : null;
  if (recorded?.settled !== "EXECUTED" || recorded.contentDigest === undefined) {
    return deny(deps, { itemKey, call }, "REPEATED_EFFECT");
  }
  const { status, contentDigest, resultBytes, errorClass } = recorded;
  const fields = { settled: "EXECUTED", status, contentDigest, resultBytes, errorClass, recordedOf: owner };
  const events = [stateEvent(itemKey, call, { state: "EXECUTED", errorClass: null })];
  const { first } = await deps.store.settle(itemKey, { fields, events, ifGrant: call.grant });
  if (first) await logSettledItem(deps, itemKey);
}

function stateEvent(
  itemKey: string,
  { tool }: CallHash,
  entered: { readonly state: ItemState; readonly errorClass: ErrorClass | null },
): RunEvent {
  return { type: "item_state", itemKey, tool, rule: null, bytes: null, ...entered };
}
