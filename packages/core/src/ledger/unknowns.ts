import { z } from "zod";
import { globalKeys, type Redis } from "../store/index.ts";
import { keysOf } from "./entry-place.ts";
import { STANDING } from "./standing.ts";

const facts = z.tuple([z.string().nullable(), z.string().nullable(), z.string().nullable()]);

/** Puts a call on the list of unknown calls, or takes it off, as its entry stands; a list that was lost is made again so. */
export async function listUnknown(redis: Redis, itemKey: string): Promise<void> {
  const fields = ["state", "effect", "unknownAt"] as const;
  const [state, effect, unknownAt] = facts.parse(
    await redis.hmget(keysOf(itemKey).ledger(itemKey), ...fields),
  );
  const unknown = effect !== "read" && STANDING.unknown.some((each) => each === state);
  if (unknown) await redis.zadd(globalKeys.unknowns, unknownAt ?? "0", itemKey);
  else await redis.zrem(globalKeys.unknowns, itemKey);
}

/** The calls with effects of which nobody knows whether they ran, the oldest first, as the list has them. */
export async function listedUnknowns(redis: Redis): Promise<readonly string[]> {
  return redis.zrange(globalKeys.unknowns, "0", "-1");
}

/** The unknown calls of one run: as long as there are any, nothing changes its workspace. */
export async function unknownOf(redis: Redis, anyItemKey: string): Promise<readonly string[]> {
  return (await redis.smembers(keysOf(anyItemKey).unknown)).toSorted();
}
