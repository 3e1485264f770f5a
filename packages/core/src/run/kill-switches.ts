import { z } from "zod";
import { globalKeys, redisNow, type Redis } from "../store/index.ts";

const switchSchema = z.object({
  /** the command that set it */
  id: z.string(),
  by: z.string(),
  reason: z.string(),
  /** milliseconds of Redis' clock */
  at: z.number(),
});
export type KillSwitch = z.infer<typeof switchSchema> & { readonly target: string };

/** About how many actions the audit keeps. */
const AUDIT_KEPT = 100_000;

/** What of a call, or of a run, somebody may have stopped. */
export interface Stoppable {
  readonly run: string;
  readonly tool?: string | undefined;
  readonly source?: string | undefined;
}

/** The switch that stops it, the widest first; null where none is set. One read. */
export async function killedBy(redis: Redis, { run, tool, source }: Stoppable): Promise<string | null> {
  const targets = [
    "global",
    ...(source === undefined ? [] : [`repository:${source}`]),
    ...(tool === undefined ? [] : [`tool:${tool}`]),
    `run:${run}`,
  ];
  const set = await redis.hmget(globalKeys.kill, ...targets);
  return targets.find((_, at) => set[at] !== null) ?? null;
}

/** All that are set, by name. */
export async function readKillSwitches(redis: Redis): Promise<readonly KillSwitch[]> {
  const fields = Object.entries(await redis.hgetall(globalKeys.kill));
  return fields
    .map(([target, text]) => ({ target, ...switchSchema.parse(JSON.parse(text)) }))
    .toSorted((a, b) => a.target.localeCompare(b.target));
}

/** Sets or clears a switch, then tells the audit; repeating it changes nothing but a second line there. */
export async function turnSwitch(
  redis: Redis,
  turned: {
    readonly kind: "kill" | "unkill";
    readonly target: string;
    readonly id: string;
    readonly by: string;
    readonly reason: string;
  },
): Promise<void> {
  const { kind, target, id, by, reason } = turned;
  const at = await redisNow(redis);
  if (kind === "kill") await redis.hset(globalKeys.kill, target, JSON.stringify({ id, by, reason, at }));
  else await redis.hdel(globalKeys.kill, target);
  const text = JSON.stringify({ ...turned, at });
  await redis.xadd(globalKeys.audit, "MAXLEN", "~", AUDIT_KEPT, "*", "switch", text);
}
