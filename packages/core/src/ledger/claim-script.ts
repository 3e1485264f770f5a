import { fromStates, stateList } from "../call/index.ts";
import type { Script } from "../store/index.ts";
import { LUA_ENTRY } from "./entry-lua.ts";
import { STANDING } from "./standing.ts";

/**
 * The claim. A job that finds no entry is new only as long as one would still be there had there been one: entries stay
 * for their retention after the decision's end.
 *   ARGV 3 owner, 4 lease ms, 5 known fence, 6 grant, 7 arguments digest, 8 tool, 9 effect, 10 "1" where a lost start may be
 *        repeated, 11 grant's end, 12 decision's end, 13.. events: claimed, unknown, given
 *        back, cancelled, expired, frozen
 *   Returns { kind, number, epoch }: claimed fence epoch (-1 for none) | held ms | settled | unknown fence | lost_start fence
 *           | grant_expired fence | no_call | superseded | key_reused | too_old
 */
export const CLAIM: Script = {
  name: "ledger-claim",
  lua: `${LUA_ENTRY}
local owner, lease, known, grant, digest = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local tool, effect, repeats = ARGV[8], ARGV[9], ARGV[10] == '1'
local grant_end, decision_end = tonumber(ARGV[11]), tonumber(ARGV[12])
local told = {claimed = ARGV[13], unknown = ARGV[14], given_back = ARGV[15], cancelled = ARGV[16], expired = ARGV[17],
  frozen = ARGV[18]}
local function answer(kind, number, epoch) return {kind, number or 0, epoch or 0} end

local entry = redis.call('HMGET', ledger, 'state', 'digest', 'leaseUntil', 'fence', 'burned', 'published')
local state, fence, burned = entry[1], math.max(tonumber(entry[4] or '0'), known), tonumber(entry[5] or '0')
if not state and time >= decision_end + keep_ms then return answer('too_old') end
if state then
  if entry[2] ~= digest then return answer('key_reused') end
  local left = tonumber(entry[3]) - time
  if among('${stateList([...STANDING.held, "RECONCILING"])}', state) and left > 0 then return answer('held', left) end
  if state == 'STARTED' then
    enter('OUTCOME_UNKNOWN')
    append_events(events, told.unknown)
    state = 'OUTCOME_UNKNOWN'
  end
  if state == 'OUTCOME_UNKNOWN' and repeats and entry[6] ~= '1' then
    redis.call('HDEL', ledger, 'status', 'errorClass', 'unknownAt')
    enter('POLICY_APPROVED', 'burned', redis.call('HGET', ledger, 'grant'))
    append_events(events, told.given_back)
    return answer('lost_start', fence)
  end
  if state == 'OUTCOME_UNKNOWN' or state == 'RECONCILING' then return answer('unknown', fence) end
  if state ~= 'POLICY_APPROVED' and state ~= 'CLAIMED' then return answer('settled') end
end

local granted = redis.call('HMGET', call, 'state', 'grant', 'settled')
if not granted[1] then return answer('no_call') end
if tonumber(granted[2] or '0') ~= grant or granted[3] then return answer('superseded') end
if grant <= burned then return answer('lost_start', fence) end
if not among('${fromStates("claim")}', granted[1]) then return answer('superseded') end

local function taken(to, number, until_ms, ...)
  enter(to, 'fence', number, 'owner', owner, 'grant', grant, 'digest', digest, 'tool', tool, 'effect', effect,
    'leaseUntil', until_ms, 'notAfter', decision_end, ...)
end
local function settle(to, class, list)
  taken(to, fence, 0, 'status', 'refused', 'errorClass', class)
  append_events(events, list)
  return answer('settled')
end
local ended = redis.call('HMGET', run, 'cancelled', 'endedAt')
if ended[1] or ended[2] then return settle('CANCELLED', 'CANCELLED', told.cancelled) end
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
