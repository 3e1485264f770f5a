import { fromStates, stateList } from "../call/index.ts";
import type { Script } from "../store/index.ts";
import { LUA_ENTRY } from "./entry-lua.ts";
import { HELD_BY_FENCE } from "./standing.ts";

/**
 * The claim. A job that finds no entry is new only as long as one would still be there had there been one: entries stay
 * for their retention after the decision's end.
 *   ARGV 3 owner, 4 lease ms, 5 known fence, 6 grant, 7 arguments digest, 8 tool, 9 effect, 10 grant's end,
 *        11 decision's end, 12 nonce of the approval ("" for none), 13.. events: claimed, unknown, given back, cancelled, expired, frozen, lease lost
 *   Returns { kind, number, epoch }: claimed fence epoch (-1 for none) | held ms | settled | unknown fence | lost_start fence
 *           | grant_expired fence | no_call | superseded | key_reused | too_old | other_approval | approval_spent
 */
export const CLAIM: Script = {
  name: "ledger-claim",
  lua: `${LUA_ENTRY}
local owner, lease, known, grant, digest = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local tool, effect = ARGV[8], ARGV[9]
local grant_end, decision_end = tonumber(ARGV[10]), tonumber(ARGV[11])
local nonce = ARGV[12]
local told = {claimed = ARGV[13], unknown = ARGV[14], given_back = ARGV[15], cancelled = ARGV[16], expired = ARGV[17],
  frozen = ARGV[18], lease_lost = ARGV[19]}
local function answer(kind, number, epoch) return {kind, number or 0, epoch or 0} end

local entry = redis.call('HMGET', ledger, 'state', 'digest', 'leaseUntil', 'fence', 'burned', 'published', 'nonce', 'startedAt')
local state, own, burned = entry[1], tonumber(entry[4] or '0'), tonumber(entry[5] or '0')
local fence = math.max(own, known)
if not state and time >= decision_end + keep_ms then return answer('too_old') end
if state then
  if entry[2] ~= digest then return answer('key_reused') end
  local left = tonumber(entry[3]) - time
  if among('${stateList(HELD_BY_FENCE)}', state) and left > 0 then return answer('held', left) end
  if state == 'STARTED' then
    enter('OUTCOME_UNKNOWN')
    append_events(events, told.unknown)
    state = 'OUTCOME_UNKNOWN'
  end
  if state == 'OUTCOME_UNKNOWN' and effect == 'read' and entry[6] ~= '1' then
    burned = tonumber(redis.call('HGET', ledger, 'grant'))
    enter('POLICY_APPROVED', 'burned', burned)
    append_events(events, told.given_back)
    state = 'POLICY_APPROVED'
  end
  if state == 'OUTCOME_UNKNOWN' or state == 'RECONCILING' then return answer('unknown', own) end
  if state ~= 'POLICY_APPROVED' and state ~= 'CLAIMED' then return answer('settled') end
end

local granted = redis.call('HMGET', call, 'state', 'grant', 'settled', 'nonce')
if not granted[1] then return answer('no_call') end
if tonumber(granted[2] or '0') ~= grant or granted[3] then return answer('superseded') end
local ended = redis.call('HMGET', run, 'cancelled', 'endedAt')
local cancelled = ended[1] or ended[2]
-- what was lost may be granted again, but not where nothing of the run is granted any more
if grant <= burned and not cancelled and time < decision_end then return answer('lost_start', own) end
if not among('${fromStates("claim")}', granted[1]) then return answer('superseded') end
-- only what people have approved by now; and what has begun once was approved by its own approval, and by no other one
if (granted[4] or '') ~= nonce then return answer('other_approval') end
if entry[8] and (entry[7] or '') ~= nonce then return answer('approval_spent') end

if state == 'CLAIMED' then
  enter('POLICY_APPROVED')
  append_events(events, told.lease_lost)
end

local function taken(to, number, until_ms, ...)
  enter(to, 'fence', number, 'owner', owner, 'grant', grant, 'digest', digest, 'tool', tool, 'effect', effect,
    'leaseUntil', until_ms, 'notAfter', decision_end, 'nonce', nonce, ...)
end
local function settle(to, class, list)
  taken(to, fence, 0, 'status', 'refused', 'errorClass', class)
  append_events(events, list)
  return answer('settled')
end
if cancelled then return settle('CANCELLED', 'CANCELLED', told.cancelled) end
if time >= decision_end then return settle('EXPIRED', 'GRANT_EXPIRED', told.expired) end
if time >= grant_end then return answer('grant_expired', fence) end

if effect == 'read' then
  taken('CLAIMED', fence + 1, time + lease)
  append_events(events, told.claimed)
  return answer('claimed', fence + 1, -1)
end
if redis.call('SCARD', frozen) > 0 then return settle('DENIED', 'WORKSPACE_FROZEN', told.frozen) end
if redis.call('SCARD', unknown) > 0 then return answer('held', lease) end
local held = redis.call('HMGET', workspace, 'holder', 'holderUntil')
if held[1] and held[1] ~= item and tonumber(held[2]) > time then return answer('held', tonumber(held[2]) - time) end
redis.call('HSET', workspace, 'holder', item, 'holderUntil', time + lease)
local epoch = redis.call('HINCRBY', workspace, 'epoch', 1)
taken('CLAIMED', fence + 1, time + lease, 'epoch', epoch)
append_events(events, told.claimed)
return answer('claimed', fence + 1, epoch)`,
};
