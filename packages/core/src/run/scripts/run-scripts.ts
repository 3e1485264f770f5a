import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";
import { LUA_RETENTION } from "./retention-lua.ts";

/**
 * Creates a run once, with its first turn open, or ended where admission refused it.
 *   KEYS 1 run, 2 turn 1, 3 conversation, 4 events, 5 spec
 *   ARGV 1 run fields, 2 conversation entries, 3 output budget of turn 1, 4 deadline in ms, 5 events, 6 "open" | "ended",
 *        7 ms for which an ended run is kept
 *   Returns 1 | 0 (it exists)
 */
export const ADMIT: Script = {
  name: "run-admit",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local time = now()
set_fields(KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], 'createdAt', time, 'deadlineAt', time + tonumber(ARGV[4]))
if ARGV[6] == 'open' then
  redis.call('HSET', KEYS[1], 'turn', 1)
  redis.call('HSET', KEYS[2], 'state', 'streaming', 'attempt', 1, 'maxOutputTokens', ARGV[3])
  push_entries(KEYS[3], ARGV[2])
  redis.call('PERSIST', KEYS[5])
else
  redis.call('HSET', KEYS[1], 'endedAt', time)
end
begin_events(KEYS[4], ARGV[5])
if ARGV[6] ~= 'open' then end_keys(KEYS[1], time + tonumber(ARGV[7])) end
return 1`,
};

/**
 * Charges a run for the output of an attempt, once.
 *   KEYS 1 turn, 2 run    ARGV 1 attempt, 2 output tokens, 3 whether the route reported them ("" or 1)    Returns 1 | 0
 */
export const CHARGE_OUTPUT: Script = {
  name: "run-charge-output",
  lua: `
if redis.call('HSETNX', KEYS[1], 'charged:' .. ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[2], 'outputTokens', ARGV[2])
if ARGV[3] == '' then redis.call('HINCRBY', KEYS[2], 'unreportedAttempts', 1) end
return 1`,
};

/**
 * Ends a run once, and says when its keys go.
 *   KEYS 1 run, 2 its open turn, 3 events, 4 partial
 *   ARGV 1 run fields, 2 events, 3 ms for which an ended run is kept, 4 sealed last text, which is set aside ("" for none),
 *        5 fields of the turn
 *   Returns 1 | 0 (it had ended, or never was)
 */
export const END_RUN: Script = {
  name: "run-end",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'endedAt') == 1 then return 0 end
set_fields(KEYS[1], ARGV[1])
local time = now()
redis.call('HSET', KEYS[1], 'endedAt', time)
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[2], 'state', 'closed')
  set_fields(KEYS[2], ARGV[5])
end
append_events(KEYS[3], ARGV[2])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[4], ARGV[4])
  set_aside(KEYS[1], KEYS[1], KEYS[4], time)
end
end_keys(KEYS[1], time + tonumber(ARGV[3]))
return 1`,
};

/**
 * Sets the cancel flag, which every begin and claim reads.
 *   KEYS 1 run, 2 events    ARGV 1 events    Returns 1 | 0 (ended, or cancelled before)
 */
export const CANCEL: Script = {
  name: "run-cancel",
  lua: `${LUA_APPEND_EVENTS}
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'endedAt') == 1 then return 0 end
if redis.call('HSETNX', KEYS[1], 'cancelled', '1') == 0 then return 0 end
append_events(KEYS[2], ARGV[1])
return 1`,
};
