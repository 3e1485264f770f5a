import { globalKeys, LUA_NOW, runScript, type Redis, type Script } from "@airlock/core/store";

/**
 * KEYS 1: the place in the feed. ARGV 1: owner, 2: lease in milliseconds. Returns the place for whoever leads now, else
 * false. Lease and place are one hash, so that whoever lost the one can't move the other.
 */
const LEAD: Script = {
  name: "lead-feed",
  lua: `${LUA_NOW}
local held = redis.call('HMGET', KEYS[1], 'leader', 'until', 'place')
local at = now()
if held[1] and held[1] ~= ARGV[1] and tonumber(held[2]) > at then return false end
redis.call('HSET', KEYS[1], 'leader', ARGV[1], 'until', at + tonumber(ARGV[2]))
return held[3] or ''
`,
};

/** KEYS 1: the place in the feed. ARGV 1: owner, 2: the place before, 3: the place after. Returns whether it was moved. */
const MOVE: Script = {
  name: "move-feed",
  lua: `
local held = redis.call('HMGET', KEYS[1], 'leader', 'place')
if held[1] ~= ARGV[1] or (held[2] or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'place', ARGV[3])
return 1
`,
};

/** KEYS 1: the place in the feed. ARGV 1: owner. Another console may lead at once. */
const RESIGN: Script = {
  name: "resign-feed",
  lua: `
if redis.call('HGET', KEYS[1], 'leader') == ARGV[1] then redis.call('HDEL', KEYS[1], 'leader', 'until') end
return 1
`,
};

/** The one console's hold on the feed. */
export interface FeedPlace {
  /** Takes or keeps the lease; the id of the last entry that was passed on, or null where another console leads. */
  lead(): Promise<string | null>;
  /** False where the lease was lost meanwhile: whoever has it passes the same entries on under the same ids. */
  move(from: string, to: string): Promise<boolean>;
  resign(): Promise<void>;
}

export function createFeedPlace(
  redis: Redis,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
): FeedPlace {
  const keys = [globalKeys.consoleFeed];
  const move = async (from: string, to: string): Promise<boolean> =>
    (await runScript(redis, MOVE, { keys, args: [owner, from, to] })) === 1;
  return {
    move,
    async lead() {
      const place = await runScript(redis, LEAD, { keys, args: [owner, leaseMs] });
      if (place !== "") return typeof place === "string" ? place : null;
      // the first console ever begins with what comes from now on
      const [newest] = await redis.xrevrange(globalKeys.feed, "+", "-", "COUNT", 1);
      const first = newest?.[0] ?? "0-0";
      return (await move("", first)) ? first : null;
    },
    async resign() {
      await runScript(redis, RESIGN, { keys, args: [owner] });
    },
  };
}
