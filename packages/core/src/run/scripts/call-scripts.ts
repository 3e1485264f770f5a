import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";
import { LUA_RETENTION } from "./retention-lua.ts";

/** Lua: the arguments of a call that was refused are set aside, in whichever of the keys they lie. */
const LUA_REFUSED = `
local function set_aside_refused(run, call, ...)
  local settled, time = redis.call('HGET', call, 'settled'), now()
  if settled and settled ~= 'EXECUTED' and settled ~= 'OUTCOME_UNKNOWN' and settled ~= 'POLICY_APPROVED' then
    for _, key in ipairs({...}) do set_aside(run, call, key, time) end
  end
  keep_with(run, call, ...)
end`;

/**
 * Writes verdict and decision of an item once.
 *   KEYS 1 call, 2 events, 3 run, 4 content, 5 arguments
 *   ARGV 1 call fields, 2 events, 3 sealed arguments of a call that the validator makes itself ("" for an item's)
 *   Returns { 1 | 0 (decided before), call field, value, … }: the call as it stands then
 */
export const DECIDE: Script = {
  name: "call-decide",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}${LUA_REFUSED}
local known = redis.call('HGETALL', KEYS[1])
if #known > 0 then return {0, unpack(known)} end
set_fields(KEYS[1], ARGV[1])
if ARGV[3] ~= '' then redis.call('SET', KEYS[5], ARGV[3]) end
set_aside_refused(KEYS[3], KEYS[1], KEYS[4], KEYS[5])
append_events(KEYS[2], ARGV[2])
return {1, unpack(redis.call('HGETALL', KEYS[1]))}`,
};

/**
 * Stores the grant of an approved call that its turn has unlocked, numbered one above the last.
 *   KEYS 1 call, 2 turn, 3 run    ARGV 1 item key, 2 last grant, 3 call fields    Returns 1 | 0
 */
export const RELEASE: Script = {
  name: "call-release",
  lua: `${LUA_NOW}${LUA_FIELDS}
local run = redis.call('HMGET', KEYS[3], 'endedAt', 'cancelled', 'deadlineAt')
if run[1] or run[2] or (run[3] and now() >= tonumber(run[3])) then return 0 end
local call = redis.call('HMGET', KEYS[1], 'state', 'grant', 'settled')
if call[1] ~= 'POLICY_APPROVED' or call[3] or (call[2] or '0') ~= ARGV[2] then return 0 end
local turn = redis.call('HMGET', KEYS[2], 'state', 'call:' .. ARGV[1])
if turn[1] ~= 'calls' or (turn[2] ~= 'waiting' and turn[2] ~= 'released') then return 0 end
set_fields(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'grant', tonumber(ARGV[2]) + 1)
redis.call('HSET', KEYS[2], 'call:' .. ARGV[1], 'released')
return 1`,
};

/**
 * Settlement: the one outcome of a call, and call and turn as they stand then, in one step. A call that ran before its
 * response had ended is none of the turn's yet.
 *   KEYS 1 call, 2 turn, 3 events, 4 run, 5 content, 6 arguments
 *   ARGV 1 item key, 2 call fields, 3 events, 4 the grant that the call must still have, "" for any
 *   Returns { 1 first | 0 again or granted meanwhile, { turn field, value, … }, { call field, value, … } }
 */
export const SETTLE: Script = {
  name: "call-settle",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}${LUA_REFUSED}
local first = 0
local call = redis.call('HMGET', KEYS[1], 'settled', 'grant')
if not call[1] and (ARGV[4] == '' or (call[2] or '0') == ARGV[4]) then
  first = 1
  set_fields(KEYS[1], ARGV[2])
  set_aside_refused(KEYS[4], KEYS[1], KEYS[5], KEYS[6])
  if redis.call('HEXISTS', KEYS[2], 'call:' .. ARGV[1]) == 1 then
    redis.call('HSET', KEYS[2], 'call:' .. ARGV[1], 'settled')
  end
  append_events(KEYS[3], ARGV[3])
end
return {first, redis.call('HGETALL', KEYS[2]), redis.call('HGETALL', KEYS[1])}`,
};
