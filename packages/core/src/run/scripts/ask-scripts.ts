import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";

/** Lua: whether a call still waits for this question ("" for one that was not asked yet), in a run that goes on. */
const LUA_WAITS = `
local function waits(call, run, nonce)
  local asked = redis.call('HMGET', call, 'state', 'nonce', 'settled')
  if asked[1] ~= 'AWAITING_APPROVAL' or (asked[2] or '') ~= nonce or asked[3] then return false end
  local ended = redis.call('HMGET', run, 'endedAt', 'cancelled')
  return not ended[1] and not ended[2]
end
local function forget_question(call)
  redis.call('HDEL', call, 'nonce', 'askRecord', 'parkedAt', 'approvers')
end`;

/** Lua: a run of which no call waits for people any more goes on. */
const LUA_RESUME = `
local function resume(run, turn)
  if redis.call('HGET', run, 'state') ~= 'awaiting_approval' then return end
  local base = string.sub(run, 1, -4)
  for _, field in ipairs(redis.call('HKEYS', turn)) do
    local item = string.match(field, '^call:(.+)$')
    if item then
      local call = redis.call('HMGET', base .. 'call:' .. item, 'state', 'settled')
      if call[1] == 'AWAITING_APPROVAL' and not call[2] then return end
    end
  end
  redis.call('HSET', run, 'state', 'running')
end`;

/**
 * Writes the question about a call, once: its nonce, and the signed record.
 *   KEYS 1 call, 2 run, 3 events    ARGV 1 how many questions there were, 2 call fields, 3 events    Returns 1 | 0
 */
export const ASK: Script = {
  name: "call-ask",
  lua: `${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_WAITS}
if not waits(KEYS[1], KEYS[2], '') or (redis.call('HGET', KEYS[1], 'request') or '0') ~= ARGV[1] then return 0 end
set_fields(KEYS[1], ARGV[2])
append_events(KEYS[3], ARGV[3])
return 1`,
};

/**
 * Notes that the question's job was added: from now on its absence means that somebody removed it.
 *   KEYS 1 call, 2 run    ARGV 1 nonce    Returns 1 | 0
 */
export const PARKED: Script = {
  name: "call-parked",
  lua: `${LUA_NOW}${LUA_WAITS}
if not waits(KEYS[1], KEYS[2], ARGV[1]) then return 0 end
return redis.call('HSETNX', KEYS[1], 'parkedAt', now())`,
};

/**
 * Lets a call go on that people approved, as long as their time is not over.
 *   KEYS 1 call, 2 run, 3 turn, 4 events    ARGV 1 nonce, 2 end of the question, 3 call fields, 4 events    Returns 1 | 0
 */
export const APPROVE: Script = {
  name: "call-approve",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_WAITS}${LUA_RESUME}
if not waits(KEYS[1], KEYS[2], ARGV[1]) or now() >= tonumber(ARGV[2]) then return 0 end
set_fields(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'POLICY_APPROVED')
resume(KEYS[2], KEYS[3])
append_events(KEYS[4], ARGV[4])
return 1`,
};

/**
 * Voids a question whose ground has changed: the call waits for the next one, or needs none any more.
 *   KEYS 1 call, 2 run, 3 turn, 4 events    ARGV 1 nonce, 2 call fields with the state, 3 events    Returns 1 | 0
 */
export const VOID_QUESTION: Script = {
  name: "call-void-question",
  lua: `${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_WAITS}${LUA_RESUME}
if not waits(KEYS[1], KEYS[2], ARGV[1]) then return 0 end
forget_question(KEYS[1])
set_fields(KEYS[1], ARGV[2])
resume(KEYS[2], KEYS[3])
append_events(KEYS[4], ARGV[3])
return 1`,
};

/** KEYS 1 run, 2 turn    Returns 1 */
export const RESUME: Script = {
  name: "run-resume",
  lua: `${LUA_RESUME}\nresume(KEYS[1], KEYS[2])\nreturn 1`,
};

/** KEYS 1 call, 2 run, 3 events    ARGV 1 nonce, 2 events    Returns 1 | 0 */
export const TELL_WAITING: Script = {
  name: "call-tell-waiting",
  lua: `${LUA_APPEND_EVENTS}${LUA_WAITS}
if not waits(KEYS[1], KEYS[2], ARGV[1]) then return 0 end
append_events(KEYS[3], ARGV[2])
return 1`,
};

/**
 * Takes the grant of a call back that nothing has run under, and has the call wait for people.
 *   KEYS 1 call, 2 turn, 3 run, 4 events    ARGV 1 item key, 2 grant, 3 call fields, 4 events    Returns 1 | 0
 */
export const ASK_AGAIN: Script = {
  name: "call-ask-again",
  lua: `${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_WAITS}
local call = redis.call('HMGET', KEYS[1], 'state', 'grant', 'settled')
if call[1] ~= 'POLICY_APPROVED' or (call[2] or '0') ~= ARGV[2] or call[3] then return 0 end
forget_question(KEYS[1])
set_fields(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'AWAITING_APPROVAL', 'voidGrant', ARGV[2])
redis.call('HSET', KEYS[2], 'call:' .. ARGV[1], 'waiting')
if redis.call('HGET', KEYS[3], 'state') == 'running' then redis.call('HSET', KEYS[3], 'state', 'awaiting_approval') end
append_events(KEYS[4], ARGV[4])
return 1`,
};
