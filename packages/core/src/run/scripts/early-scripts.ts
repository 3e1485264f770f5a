import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";

/*
 * A call that is granted before its response has ended stands in the turn as `early:<item key>`, not among its calls:
 * unlocking makes it one of them, everything else drops it.
 */

/**
 * Stores the first grant of a `read` call while its attempt still streams, and charges the run for it, whatever becomes of
 * the response.
 *   KEYS 1 call, 2 turn, 3 run, 4 attempt    ARGV 1 item key, 2 attempt, 3 call fields, 4 limit of calls
 *   Returns 1 | 0
 */
export const RELEASE_EARLY: Script = {
  name: "call-release-early",
  lua: `${LUA_NOW}${LUA_FIELDS}
local run = redis.call('HMGET', KEYS[3], 'endedAt', 'cancelled', 'calls', 'deadlineAt')
if run[1] or run[2] then return 0 end
local call = redis.call('HMGET', KEYS[1], 'state', 'grant', 'settled', 'effect')
if call[1] ~= 'POLICY_APPROVED' or call[2] or call[3] or call[4] ~= 'read' then return 0 end
local turn = redis.call('HMGET', KEYS[2], 'state', 'attempt')
if turn[1] ~= 'streaming' or turn[2] ~= ARGV[2] then return 0 end
if redis.call('HGET', KEYS[4], 'state') ~= 'begun' then return 0 end
if run[4] and now() >= tonumber(run[4]) then return 0 end
if tonumber(run[3] or '0') >= tonumber(ARGV[4]) then return 0 end
redis.call('HINCRBY', KEYS[3], 'calls', 1)
set_fields(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'grant', 1)
redis.call('HSET', KEYS[2], 'early:' .. ARGV[1], '1')
return 1`,
};

/**
 * Drops an early call once: what ran counts for nothing, what has not begun never will.
 *   KEYS 1 call, 2 turn, 3 events
 *   ARGV 1 item key, 2 error class, 3 events of one that had run, 4 events of one that had not
 *   Returns 1 | 0 (dropped before, or never early)
 */
export const DROP_EARLY: Script = {
  name: "call-drop-early",
  lua: `${LUA_APPEND_EVENTS}
if redis.call('HDEL', KEYS[2], 'early:' .. ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'dropped', '1', 'errorClass', ARGV[2])
if redis.call('HSETNX', KEYS[1], 'settled', 'CANCELLED') == 0 then append_events(KEYS[3], ARGV[3])
else append_events(KEYS[3], ARGV[4]) end
return 1`,
};
