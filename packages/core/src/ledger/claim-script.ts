import { fromStates } from "../call/index.ts";
import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../store/index.ts";

/**
 * The claim.
 *   KEYS 1 ledger, 2 call, 3 run, 4 workspace, 5 events
 *   ARGV 1 item key, 2 owner, 3 lease ms, 4 grant, 5 arguments digest, 6 tool, 7 effect, 8 grant's end, 9 decision's end,
 *        10..13 events: claimed, unknown, cancelled, expired, 14 ms that an entry is kept
 *   Returns { kind, number }: claimed fence | held ms | settled 0 | lost_read fence | grant_expired fence
 *           | no_call 0 | superseded 0 | key_reused 0
 */
export const CLAIM: Script = {
  name: "ledger-claim",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}
local ledger, call, run, workspace, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local item, owner, lease, grant, digest = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local tool, effect, grant_end, decision_end = ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local time = now()

local granted = redis.call('HMGET', call, 'state', 'grant', 'settled')
if not granted[1] then return {'no_call', 0} end

local entry = redis.call('HMGET', ledger, 'state', 'digest', 'leaseUntil', 'fence', 'burned')
local state, fence, burned = entry[1], tonumber(entry[4] or '0'), tonumber(entry[5] or '0')
if state then
  if entry[2] ~= digest then return {'key_reused', 0} end
  if state == 'CLAIMED' or state == 'STARTED' then
    local left = tonumber(entry[3]) - time
    if left > 0 then return {'held', left} end
    if redis.call('HGET', workspace, 'holder') == item then redis.call('HDEL', workspace, 'holder') end
    if state == 'STARTED' then
      if effect == 'read' then
        redis.call('HSET', ledger, 'state', 'POLICY_APPROVED', 'burned', redis.call('HGET', ledger, 'grant'))
        return {'lost_read', fence}
      end
      redis.call('HSET', ledger, 'state', 'OUTCOME_UNKNOWN', 'status', 'unknown', 'errorClass', 'OUTCOME_UNKNOWN')
      append_events(events, ARGV[11])
      return {'settled', 0}
    end
  elseif state ~= 'POLICY_APPROVED' then
    return {'settled', 0}
  end
end

if tonumber(granted[2] or '0') ~= grant or granted[3] then return {'superseded', 0} end
if grant <= burned then return {'lost_read', fence} end
if not string.find('${fromStates("claim")}', ',' .. granted[1] .. ',', 1, true) then return {'superseded', 0} end

local function settle(to, class, list)
  redis.call('HSET', ledger, 'state', to, 'fence', fence, 'owner', owner, 'grant', grant, 'digest', digest,
    'tool', tool, 'effect', effect, 'leaseUntil', 0, 'status', 'refused', 'errorClass', class)
  redis.call('PEXPIRE', ledger, ARGV[14])
  append_events(events, list)
  return {'settled', 0}
end
local ended = redis.call('HMGET', run, 'cancelled', 'endedAt')
if ended[1] or ended[2] then return settle('CANCELLED', 'CANCELLED', ARGV[12]) end
if time >= decision_end then return settle('EXPIRED', 'GRANT_EXPIRED', ARGV[13]) end
if time >= grant_end then return {'grant_expired', fence} end

if effect ~= 'read' then
  local held = redis.call('HMGET', workspace, 'holder', 'holderUntil')
  if held[1] and held[1] ~= item and tonumber(held[2]) > time then
    return {'held', tonumber(held[2]) - time}
  end
  redis.call('HSET', workspace, 'holder', item, 'holderUntil', time + lease)
  redis.call('HINCRBY', workspace, 'epoch', 1)
end
redis.call('HSET', ledger, 'state', 'CLAIMED', 'fence', fence + 1, 'owner', owner, 'grant', grant, 'digest', digest,
  'tool', tool, 'effect', effect, 'leaseUntil', time + lease)
redis.call('PEXPIRE', ledger, ARGV[14])
append_events(events, ARGV[10])
return {'claimed', fence + 1}`,
};
