import { LUA_NOW, type Script } from "../../store/index.ts";

/**
 * Takes a slot of a route, where one is free and nobody asked all to wait. Without limits nothing is counted.
 *   KEYS 1 state (pauseUntil, refusals), 2 slots by end of lease, 3 starts by time
 *   ARGV 1 slot, 2 lease ms, 3 most slots at once (0: no limit), 4 most starts in a minute (0: no limit)
 *   Returns 0 (taken) | ms to wait
 */
export const TAKE_SLOT: Script = {
  name: "limit-take",
  lua: `${LUA_NOW}
local time = now()
local pause = tonumber(redis.call('HGET', KEYS[1], 'pauseUntil') or '0') - time
if pause > 0 then return pause end
local slots, starts = tonumber(ARGV[3]), tonumber(ARGV[4])
if slots == 0 and starts == 0 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', time)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', time - 60000)
if slots > 0 and redis.call('ZCARD', KEYS[2]) >= slots then
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  return math.max(50, math.min(500, math.floor(tonumber(first[2]) - time)))
end
if starts > 0 and redis.call('ZCARD', KEYS[3]) >= starts then
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  return math.max(50, math.floor(tonumber(first[2]) + 60000 - time))
end
redis.call('ZADD', KEYS[2], time + tonumber(ARGV[2]), ARGV[1])
redis.call('ZADD', KEYS[3], time, ARGV[1])
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[2]) * 2)
redis.call('PEXPIRE', KEYS[3], 120000)
return 0`,
};

/**
 * Keeps a slot for another lease.
 *   KEYS 1 slots    ARGV 1 slot, 2 lease ms    Returns 1 | 0 (it is gone)
 */
export const KEEP_SLOT: Script = {
  name: "limit-keep",
  lua: `${LUA_NOW}
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 2)
return 1`,
};

/**
 * One shared back-off: after a 429 nobody sends to the route for a while, which doubles until a request goes through.
 *   KEYS 1 state    ARGV 1 ms that the route asked for (0: none), 2 first wait, 3 longest wait    Returns ms
 */
export const BACK_OFF: Script = {
  name: "limit-back-off",
  lua: `${LUA_NOW}
local time = now()
local refusals = redis.call('HINCRBY', KEYS[1], 'refusals', 1)
local wait = math.max(tonumber(ARGV[1]), math.min(tonumber(ARGV[3]), tonumber(ARGV[2]) * 2 ^ (refusals - 1)))
local before = tonumber(redis.call('HGET', KEYS[1], 'pauseUntil') or '0')
redis.call('HSET', KEYS[1], 'pauseUntil', math.max(before, time + math.floor(wait)))
redis.call('PEXPIRE', KEYS[1], 3600000)
return math.floor(wait)`,
};
