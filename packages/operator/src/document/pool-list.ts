import { z } from "zod";
import { isLiveMember, readPools } from "@airlock/core/run";
import { redisNow, type Redis } from "@airlock/core/store";

export const poolDocumentSchema = z.strictObject({
  name: z.string(),
  /** runs that are bound to it and go on */
  runs: z.int(),
  executors: z
    .array(
      z.strictObject({
        id: z.string(),
        host: z.string(),
        state: z.enum(["live", "draining", "silent"]),
        seenAt: z.string(),
      }),
    )
    .readonly(),
});
export type PoolDocument = Readonly<z.infer<typeof poolDocumentSchema>>;

/** Every pool that an executor served, by name. */
export async function listPools(redis: Redis): Promise<readonly PoolDocument[]> {
  const now = await redisNow(redis);
  const pools = await readPools(redis);
  return pools.map(({ name, runs, members }) => ({
    name,
    runs,
    executors: members.map((member) => ({
      id: member.id,
      host: member.host,
      state: stateOf(isLiveMember(member, now), isLiveMember({ ...member, draining: false }, now)),
      seenAt: new Date(member.seenAt).toISOString(),
    })),
  }));
}

function stateOf(live: boolean, heard: boolean): PoolDocument["executors"][number]["state"] {
  if (live) return "live";
  return heard ? "draining" : "silent";
}
