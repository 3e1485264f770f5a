import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";

/**
 * Opens the next attempt of a turn that still streams. What the failed one left in the conversation goes: there is
 * something only where the streamer took its end for a normal one and the validator doesn't.
 *   KEYS 1 turn, 2 run, 3 events, 4 conversation
 *   ARGV 1 the attempt that failed, 2 output budget, 3 events, 4 how a conversation entry of this turn's output begins
 *   Returns 1 | 0 (another attempt is current, or the run ended)
 */
export const NEXT_ATTEMPT: Script = {
  name: "turn-next-attempt",
  lua: `${LUA_APPEND_EVENTS}
if redis.call('HEXISTS', KEYS[2], 'endedAt') == 1 then return 0 end
local turn = redis.call('HMGET', KEYS[1], 'state', 'attempt')
if turn[1] ~= 'streaming' or turn[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'attempt', tonumber(ARGV[1]) + 1, 'maxOutputTokens', ARGV[2])
local last = redis.call('LINDEX', KEYS[4], -1)
if last and string.sub(last, 1, #ARGV[4]) == ARGV[4] then redis.call('RPOP', KEYS[4]) end
append_events(KEYS[3], ARGV[3])
return 1`,
};

/**
 * Unlocks effects: the attempt's committed outcome lets its calls run, and they get their stages. The run is charged for
 * all of them here, in one step, and nothing is released that was not unlocked: that keeps the budgets of calls. A turn
 * whose calls are under way takes further ones, each once. A call whose record is settled is never parked as one that
 * waits: nothing would settle it again.
 *   KEYS 1 turn, 2 run, 3.. calls
 *   ARGV 1 attempt, 2 fields of the turn (stages and dependencies), 3 calls to charge, 4 of them mutating,
 *        5 limit of calls, 6 limit of mutating calls, 7 state of the run from now on, 8 state left ("streaming" or "calls"),
 *        9.. their item keys
 *   Returns { unlocked | stale | late | over_calls | over_mutating } and, of what was unlocked, { item key of each call
 *           that is settled, … } and { turn field, value, … } as it stands then
 */
export const UNLOCK: Script = {
  name: "turn-unlock",
  lua: `${LUA_NOW}${LUA_FIELDS}
local used = redis.call('HMGET', KEYS[2], 'calls', 'mutatingCalls', 'endedAt', 'deadlineAt')
if used[3] then return {'stale'} end
local turn = redis.call('HMGET', KEYS[1], 'state', 'attempt')
if turn[1] ~= ARGV[8] or turn[2] ~= ARGV[1] then return {'stale'} end
for field in pairs(cjson.decode(ARGV[2])) do
  if redis.call('HEXISTS', KEYS[1], field) == 1 then return {'stale'} end
end
if used[4] and now() >= tonumber(used[4]) then return {'late'} end
local calls = tonumber(used[1] or '0') + tonumber(ARGV[3])
local mutating = tonumber(used[2] or '0') + tonumber(ARGV[4])
if calls > tonumber(ARGV[5]) then return {'over_calls'} end
if mutating > tonumber(ARGV[6]) then return {'over_mutating'} end
redis.call('HSET', KEYS[2], 'calls', calls, 'mutatingCalls', mutating, 'state', ARGV[7])
redis.call('HSET', KEYS[1], 'state', 'calls')
set_fields(KEYS[1], ARGV[2])
local settled = {}
for i = 3, #KEYS do
  local item = ARGV[i + 6]
  local early = redis.call('HDEL', KEYS[1], 'early:' .. item) == 1
  if redis.call('HEXISTS', KEYS[i], 'settled') == 1 then
    redis.call('HSET', KEYS[1], 'call:' .. item, 'settled')
    table.insert(settled, item)
  elseif early then
    redis.call('HSET', KEYS[1], 'call:' .. item, 'released')
  end
end
return {'unlocked', settled, redis.call('HGETALL', KEYS[1])}`,
};

/**
 * Closes a turn, appends what the model is told, and opens the next one.
 *   KEYS 1 turn, 2 next turn, 3 run, 4 conversation, 5 events
 *   ARGV 1 state left ("calls" or "streaming"), 2 attempt, 3 conversation entries, 4 number of the next turn,
 *        5 output budget of it, 6 field of the run that counts it ("": none), 7 events,
 *        8 whether the next turn's output goes on where this one's was cut ("" or 1), 9 fields of the turn
 *   Returns 1 | 0 (closed before, calls are open, or the run ended)
 */
export const NEXT_TURN: Script = {
  name: "turn-next",
  lua: `${LUA_APPEND_EVENTS}${LUA_FIELDS}
if redis.call('HEXISTS', KEYS[3], 'endedAt') == 1 then return 0 end
local turn = redis.call('HGETALL', KEYS[1])
for i = 1, #turn, 2 do
  if turn[i] == 'state' and turn[i + 1] ~= ARGV[1] then return 0 end
  if turn[i] == 'attempt' and turn[i + 1] ~= ARGV[2] then return 0 end
  if string.sub(turn[i], 1, 5) == 'call:' and turn[i + 1] ~= 'settled' then return 0 end
end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'closed')
set_fields(KEYS[1], ARGV[9])
redis.call('HSET', KEYS[2], 'state', 'streaming', 'attempt', 1, 'maxOutputTokens', ARGV[5])
redis.call('HSET', KEYS[3], 'turn', ARGV[4], 'state', 'running')
if ARGV[8] ~= '' then redis.call('HSET', KEYS[2], 'stitched', ARGV[8]) end
if ARGV[6] ~= '' then redis.call('HINCRBY', KEYS[3], ARGV[6], 1) end
push_entries(KEYS[4], ARGV[3])
append_events(KEYS[5], ARGV[7])
return 1`,
};

/**
 * Notes that an attempt is held back, and tells of it the first time.
 *   KEYS 1 turn, 2 run, 3 events    ARGV 1 attempt, 2 events    Returns 1 | 0 (told before, or not current)
 */
export const PARK_ATTEMPT: Script = {
  name: "turn-park",
  lua: `${LUA_APPEND_EVENTS}
if redis.call('HEXISTS', KEYS[2], 'endedAt') == 1 then return 0 end
local turn = redis.call('HMGET', KEYS[1], 'state', 'attempt', 'parked')
if turn[1] ~= 'streaming' or turn[2] ~= ARGV[1] or turn[3] == ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'parked', ARGV[1])
append_events(KEYS[3], ARGV[2])
return 1`,
};
