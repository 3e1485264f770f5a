// A name and an address in, how long to wait out: guesses are counted before they are tried, so that many at once count too.
import { createHash } from "node:crypto";
import { globalKeys, runScript, type Redis, type Script } from "@airlock/core/store";

/** Of one name from one address few; the others are wider, or one could lock another person out. */
const LIMITS = {
  pair: 5,
  address: 30,
  name: 100,
} as const;
const WINDOW_MS = 15 * 60_000;

// KEYS a counter each; ARGV the window in ms, then the limit of each counter.
// Counts one attempt on every counter, or none if one is full; returns how long the fullest stays so, in ms, or 0.
const TAKE: Script = {
  name: "console-login-take",
  lua: `
local wait = 0
for at, key in ipairs(KEYS) do
  if tonumber(redis.call("GET", key) or "0") >= tonumber(ARGV[at + 1]) then
    wait = math.max(wait, redis.call("PTTL", key))
  end
end
if wait > 0 then return wait end
for _, key in ipairs(KEYS) do
  if redis.call("INCR", key) == 1 then redis.call("PEXPIRE", key, ARGV[1]) end
end
return 0`,
};

export interface LoginLimit {
  /** Counts an attempt and returns 0, or the milliseconds until one counts again. */
  take(name: string, address: string): Promise<number>;
  /** After the right password: the name's own count from there begins anew. */
  forget(name: string, address: string): Promise<void>;
}

export function createLoginLimit(redis: Redis): LoginLimit {
  return {
    async take(name, address) {
      const keys = [counter("pair", name, address), counter("address", address), counter("name", name)];
      const limits = [LIMITS.pair, LIMITS.address, LIMITS.name];
      return Number(await runScript(redis, TAKE, { keys, args: [WINDOW_MS, ...limits] }));
    },
    async forget(name, address) {
      await redis.del(counter("pair", name, address));
    },
  };
}

function counter(...parts: readonly string[]): string {
  return globalKeys.consoleLogins(createHash("sha256").update(JSON.stringify(parts)).digest("hex"));
}
