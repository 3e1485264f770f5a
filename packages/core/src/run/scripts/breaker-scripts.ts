import { LUA_NOW, type Script } from "../../store/index.ts";

/*
 * A breaker is closed while its hash has no `openUntil`, open until then, half-open after it: from then on one attempt
 * at a time may go through, the probe. Only the probe's own end closes the breaker or opens it again.
 */

/**
 * Asks whether an attempt may go to the route; asked again, the probe keeps its place.
 *   KEYS 1 state (openUntil, probe, probeUntil)    ARGV 1 attempt, 2 lease of a probe in ms
 *   Returns 0 (it may) | ms to wait
 */
export const BREAKER_PASS: Script = {
  name: "breaker-pass",
  lua: `${LUA_NOW}
local held = redis.call('HMGET', KEYS[1], 'openUntil', 'probe', 'probeUntil')
if not held[1] then return 0 end
local time = now()
local wait = tonumber(held[1]) - time
if wait > 0 then return wait end
local lease = tonumber(held[3] or '0') - time
if held[2] and held[2] ~= ARGV[1] and lease > 0 then return lease end
redis.call('HSET', KEYS[1], 'probe', ARGV[1], 'probeUntil', time + tonumber(ARGV[2]))
return 0`,
};

/**
 * Notes what an attempt showed of its route. A mismatch counts once per attempt, whoever tells of it again.
 *   KEYS 1 state, 2 mismatches by time
 *   ARGV 1 attempt, 2 kept | broken | unknown, 3 mismatches that open, 4 ms for which one counts, 5 ms to stay open
 *   Returns same | opened | closed
 */
export const BREAKER_NOTE: Script = {
  name: "breaker-note",
  lua: `${LUA_NOW}
local time = now()
local held = redis.call('HMGET', KEYS[1], 'openUntil', 'probe')
if held[1] then
  if held[2] ~= ARGV[1] then return 'same' end
  if ARGV[2] == 'kept' then
    redis.call('DEL', KEYS[1], KEYS[2])
    return 'closed'
  end
  redis.call('HDEL', KEYS[1], 'probe', 'probeUntil')
  if ARGV[2] ~= 'broken' then return 'same' end
  redis.call('HSET', KEYS[1], 'openUntil', time + tonumber(ARGV[5]))
  return 'opened'
end
if ARGV[2] ~= 'broken' then return 'same' end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', time - tonumber(ARGV[4]))
redis.call('ZADD', KEYS[2], 'NX', time, ARGV[1])
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[4]))
if redis.call('ZCARD', KEYS[2]) < tonumber(ARGV[3]) then return 'same' end
redis.call('HSET', KEYS[1], 'openUntil', time + tonumber(ARGV[5]))
return 'opened'`,
};
