import type { ExecutionBody } from "@airlock/core/contract";
import type { JsonObject } from "@airlock/core/json";
import { effectDigest, type Reservation } from "@airlock/core/ledger";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/**
 * Reserves what a call with effects is going to do, before it is claimed. A call that the ledger has more to say of than a
 * claim has done what it could do, and one whose decision is over is ended by its claim: both go on as they are.
 */
export async function reserveEffect(
  { redis, ledger, effects }: Pick<Deps, "redis" | "ledger" | "effects">,
  grant: ExecutionBody,
  args: JsonObject,
): Promise<Reservation> {
  const { itemKey, run, tool, effect, workspace, repeats = null, notAfter } = grant;
  if (effect === "read") return { kind: "reserved" };
  const state = (await ledger.read(itemKey))?.state ?? "POLICY_APPROVED";
  if (state !== "POLICY_APPROVED" && state !== "CLAIMED") return { kind: "reserved" };
  if ((await redisNow(redis)) >= notAfter) return { kind: "reserved" };
  const digest = effectDigest({ run, source: workspace.source, tool, args });
  return effects.reserve({ itemKey, digest, repeats });
}
