import { stateList } from "../call/index.ts";
import { LUA_APPEND_EVENTS, LUA_NOW } from "../store/index.ts";
import { STANDING } from "./standing.ts";

/**
 * Lua: what every script over an entry begins with. All take the same keys, which share the run's hash tag:
 *   KEYS 1 ledger, 2 call, 3 run, 4 workspace, 5 events, 6 result, 7 unknown, 8 frozen
 * and ARGV 1 item key, 2 ms that an entry is kept after it is settled.
 * `enter` does what follows from a state: what the workspace lets others do, how long the entry stays, what it forgets.
 */
export const LUA_ENTRY = `${LUA_NOW}${LUA_APPEND_EVENTS}
local ledger, call, run, workspace, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local result, unknown, frozen = KEYS[6], KEYS[7], KEYS[8]
local item, keep_ms = ARGV[1], tonumber(ARGV[2])
local time = now()

local function among(states, state)
  return state and string.find(states, ',' .. state .. ',', 1, true) ~= nil
end

local function holds(fence, states)
  local entry = redis.call('HMGET', ledger, 'state', 'fence')
  return entry[2] == fence and among(states, entry[1])
end

local function lease_over()
  return tonumber(redis.call('HGET', ledger, 'leaseUntil')) <= time
end

-- A key of the run goes with it; without the run there is nothing that it could hold back.
local function belongs(set, is_member)
  if not is_member then return redis.call('SREM', set, item) end
  local kept = redis.call('HMGET', run, 'state', 'keepUntil')
  if not kept[1] then return end
  redis.call('SADD', set, item)
  if kept[2] then redis.call('PEXPIREAT', set, kept[2], 'LT') end
end

local function enter(to, ...)
  local fields = {...}
  redis.call('HSET', ledger, 'state', to)
  if to == 'OUTCOME_UNKNOWN' then
    redis.call('HSET', ledger, 'status', 'unknown', 'errorClass', 'OUTCOME_UNKNOWN', 'unknownAt', time)
  end
  if #fields > 0 then redis.call('HSET', ledger, unpack(fields)) end
  if among('${stateList(STANDING.unprobed)}', to) then redis.call('HDEL', ledger, 'expected') end
  if not among('${stateList(STANDING.held)}', to) and redis.call('HGET', workspace, 'holder') == item then
    redis.call('HDEL', workspace, 'holder', 'holderUntil')
  end
  local entry = redis.call('HMGET', ledger, 'effect', 'notAfter')
  if entry[1] ~= 'read' then
    belongs(unknown, among('${stateList(STANDING.unknown)}', to))
    belongs(frozen, among('${stateList(STANDING.frozen)}', to))
  end
  if among('${stateList(STANDING.kept)}', to) then
    redis.call('PERSIST', ledger)
  else
    redis.call('PEXPIREAT', ledger, math.max(time, tonumber(entry[2] or '0')) + keep_ms)
  end
end`;
