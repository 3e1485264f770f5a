import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";
import { LUA_RETENTION } from "./retention-lua.ts";

/**
 * Lua: what every action on an ended run compares first. The answer to a command is kept, so that one that is
 * delivered again changes nothing and is answered as before.
 */
const LUA_ACT = `
local function act(input)
  local known = redis.call('HGET', input.actions, input.id)
  if known then return cjson.decode(known)['answer'] end
  local run = redis.call('HMGET', input.run, 'state', 'endedAt', 'requeues', 'turn')
  if not run[1] then return 'no_run' end
  local function answer(word)
    local action = cjson.decode(input.action)
    action['answer'], action['at'] = word, now()
    redis.call('HSET', input.actions, input.id, cjson.encode(action))
    keep_with(input.run, input.actions)
    return word
  end
  if not run[2] then return answer((run[3] or '0') == input.round and 'not_ended' or 'lost') end
  if (run[3] or '0') ~= input.round or run[1] == 'abandoned' then return answer('lost') end
  if not string.find(input.states, ',' .. run[1] .. ',', 1, true) then return answer('wrong_state') end
  return answer(input.change(run))
end`;

/**
 * Lets an ended run go on: with a fresh attempt of its turn where nothing of it was unlocked, else with the results of
 * the turn's calls, which stand. The validator's own calls are none of the response's: they go with the attempt, unless
 * one may have applied its output. Returns the answer: a word of the table ACTION_ANSWERS.
 *   KEYS 1 run, 2 turn, 3 events, 4 conversation, 5 actions, 6 partial, 7 call that applies the attempt's output
 *   ARGV 1 command id, 2 round, 3 states that may be left, 4 action, 5 the turn's number, 6 its attempt, 7 run fields,
 *        8 output budget ("" for the turn's own), 9 deadline in ms, 10 how the turn's output begins in the conversation,
 *        11 events of a fresh attempt, 12 events of a turn whose calls stand, 13 item key of the attempt's check,
 *        14 of what applies
 */
export const REQUEUE: Script = {
  name: "run-requeue",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}${LUA_ACT}
local function change(run)
  if run[4] ~= ARGV[5] then return 'moved_on' end
  if redis.call('HEXISTS', KEYS[1], 'cancelled') == 1 then return 'wrong_state' end
  local own = {['call:' .. ARGV[13]] = true, ['call:' .. ARGV[14]] = true}
  local stand, open, calls = false, false, {}
  local turn, fields = {}, redis.call('HGETALL', KEYS[2])
  for i = 1, #fields, 2 do
    turn[fields[i]] = fields[i + 1]
    if string.sub(fields[i], 1, 5) == 'call:' then
      table.insert(calls, fields[i])
      stand = stand or not own[fields[i]]
      open = open or fields[i + 1] ~= 'settled'
    end
  end
  if turn['attempt'] ~= ARGV[6] then return 'moved_on' end
  if open then return 'calls_open' end
  if turn['call:' .. ARGV[14]] then
    local applied = redis.call('HGET', KEYS[7], 'settled')
    stand = stand or applied == 'EXECUTED' or applied == 'OUTCOME_UNKNOWN'
  end
  set_fields(KEYS[1], ARGV[7])
  redis.call('HDEL', KEYS[1], 'endedAt', 'errorClass', 'detail', 'rawUntil', 'told')
  redis.call('DEL', KEYS[6])
  redis.call('HSET', KEYS[1], 'state', 'running', 'deadlineAt', now() + tonumber(ARGV[9]))
  redis.call('HINCRBY', KEYS[1], 'requeues', 1)
  if ARGV[8] ~= '' then redis.call('HSET', KEYS[2], 'maxOutputTokens', ARGV[8]) end
  if stand then
    redis.call('HSET', KEYS[2], 'state', 'calls')
    append_events(KEYS[3], ARGV[12])
  else
    redis.call('HSET', KEYS[2], 'state', 'streaming', 'attempt', tonumber(ARGV[6]) + 1)
    for _, field in ipairs(calls) do redis.call('HDEL', KEYS[2], field) end
    local last = redis.call('LINDEX', KEYS[4], -1)
    if last and string.sub(last, 1, #ARGV[10]) == ARGV[10] then redis.call('RPOP', KEYS[4]) end
    append_events(KEYS[3], ARGV[11])
  end
  keep_again(KEYS[1])
  return stand and 'requeued_calls' or 'requeued_attempt'
end
return act({run = KEYS[1], actions = KEYS[5], id = ARGV[1], round = ARGV[2], states = ARGV[3], action = ARGV[4],
  change = change})`,
};

/**
 * Gives an ended run up.
 *   KEYS 1 run, 2 events, 3 actions    ARGV 1 command id, 2 round, 3 states that may be left, 4 action, 5 events
 *   Returns the answer
 */
export const ABANDON: Script = {
  name: "run-abandon",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_RETENTION}${LUA_ACT}
local function change()
  redis.call('HSET', KEYS[1], 'state', 'abandoned')
  append_events(KEYS[2], ARGV[5])
  return 'abandoned'
end
return act({run = KEYS[1], actions = KEYS[3], id = ARGV[1], round = ARGV[2], states = ARGV[3], action = ARGV[4],
  change = change})`,
};

/**
 * Notes an answer that needed no look at the run, unless the command had one.
 *   KEYS 1 run, 2 actions    ARGV 1 command id, 2 action, 3 answer    Returns the answer
 */
export const ANSWER: Script = {
  name: "run-answer",
  lua: `${LUA_NOW}${LUA_RETENTION}
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return cjson.decode(known)['answer'] end
if redis.call('EXISTS', KEYS[1]) == 0 then return 'no_run' end
local action = cjson.decode(ARGV[2])
action['answer'], action['at'] = ARGV[3], now()
redis.call('HSET', KEYS[2], ARGV[1], cjson.encode(action))
keep_with(KEYS[1], KEYS[2])
return ARGV[3]`,
};
