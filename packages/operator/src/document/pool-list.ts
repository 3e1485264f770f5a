import { isLiveMember, readPools } from "@airlock/core/run";
import { redisNow, type Redis } from "@airlock/core/store";

export interface PoolDocument {
  readonly name: string;
  /** runs that are bound to it and go on */
  readonly runs: number;
  readonly executors: readonly {
    readonly id: string;
    readonly host: string;
    readonly state: "live" | "draining" | "silent";
    readonly seenAt: string;
  }[];
}

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
