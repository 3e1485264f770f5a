// Takes a call whose response still goes on, gives a grant for it where it only reads, its route is verified and lets
// single items run; refuses every other one: those wait for the response's own record.
import { itemKey as keyOf } from "@airlock/core/record";
import { readAttempt, readCall, readTurn } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { ItemBody } from "@airlock/core/contract";
import { ADAPTERS } from "@airlock/core/wire";
import { routeStanding } from "../contract/route-standing.ts";
import type { Deps } from "../deps.ts";
import { bindRun } from "../pool/bind-run.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { admittedRun } from "./admitted-run.ts";
import { decideAgain, publishAgain, signGrant } from "./release-call.ts";

/** May be repeated: a call that holds its grant has it published again, as long as its attempt streams. */
export async function releaseEarly(deps: Deps, item: ItemBody): Promise<void> {
  const run = await admittedRun(deps, item.run);
  const call = await readCall(deps.redis, keyOf(item));
  if (run === null || call === null || !(await mayRunEarly(deps, run, item))) return;
  if (call.state !== "POLICY_APPROVED" || call.effect !== "read" || call.settled !== undefined) return;
  if (call.grant > 0) return publishAgain(deps, call);
  const itemKey = keyOf(item);
  const now = await redisNow(deps.redis);
  if ((call.notAfter ?? 0) <= now) return;
  const { grantable, decided } = await decideAgain(deps, run, itemKey);
  const { workspace } = run.plan;
  if (grantable === null || grantable.effect !== "read" || workspace === null) return;
  const pool = await bindRun(deps, item, run);
  if (pool === null) return;
  const record = signGrant(deps, { run, workspace, pool }, { itemKey, call, now, grantable, approval: null });
  const released = await deps.store.releaseEarly(item, {
    fields: { ...decided, grantRecord: record, expiresAt: now + deps.config.grantMs },
    callLimit: run.limits.calls,
  });
  if (released) await deps.publisher.publish(record, { priority: run.plan.priority });
}

/** All but the call itself: the run asks for no other order, the route vouches for items, the attempt is current. */
async function mayRunEarly(deps: Deps, run: AdmittedRun, item: ItemBody): Promise<boolean> {
  const route = deps.routes.get(run.route);
  if (route?.boundary !== "item" || item.adapter !== ADAPTERS[route.family].version) return false;
  if (run.plan.allOrNothing || run.plan.parallel === "off") return false;
  if (run.endedAt !== undefined || run.cancelled !== undefined) return false;
  const [turn, attempt] = await Promise.all([
    readTurn(deps.redis, item.run, item.turn),
    readAttempt(deps.redis, item),
  ]);
  if (turn?.state !== "streaming" || turn.attempt !== item.attempt || attempt?.state !== "begun")
    return false;
  return (await routeStanding(deps, run)) === "verified";
}
