import { fromStates, stateList } from "../call/index.ts";
import type { Script } from "../store/index.ts";
import { LUA_ENTRY } from "./entry-lua.ts";
import { STANDING } from "./standing.ts";

/**
 * CLAIMED to STARTED, by the live holder of the lease only. A call that the validator has settled meanwhile, as it
 * does with what is dropped, was told of by it and doesn't begin.
 *   ARGV 3 fence, 4 sealed expectation ("" for none), 5 sandbox ("" for none), 6.. events: started, cancelled, expired, stale
 *   Returns started | settled | stale
 */
export const BEGIN: Script = {
  name: "ledger-begin",
  lua: `${LUA_ENTRY}
if not holds(ARGV[3], '${fromStates("begin")}') then return 'stale' end
local function settle(to, class, list)
  enter(to, 'status', 'refused', 'errorClass', class)
  append_events(events, list)
  return 'settled'
end
local ended = redis.call('HMGET', run, 'cancelled', 'endedAt')
local dropped = redis.call('HGET', call, 'settled')
if ended[1] or ended[2] or dropped then return settle('CANCELLED', 'CANCELLED', dropped and '[]' or ARGV[7]) end
local entry = redis.call('HMGET', ledger, 'effect', 'epoch', 'notAfter')
if time >= tonumber(entry[3]) then return settle('EXPIRED', 'GRANT_EXPIRED', ARGV[8]) end
if lease_over() then return 'stale' end
local place = redis.call('HMGET', workspace, 'epoch', 'holder')
if entry[1] ~= 'read' and (place[1] ~= entry[2] or place[2] ~= item) then
  return settle('DENIED', 'WORKSPACE_STALE', ARGV[9])
end
if ARGV[4] ~= '' then redis.call('HSET', ledger, 'expected', ARGV[4]) end
if ARGV[5] ~= '' then redis.call('HSET', ledger, 'sandbox', ARGV[5]) end
enter('STARTED', 'startedAt', time)
append_events(events, ARGV[6])
return 'started'`,
};

/**
 * Out of a state by the holder of its fence: the transition's own states and the fence are compared, then everything is
 * kept at once. An end with the same content again is the same end: its answer was lost.
 *   ARGV 3 fence, 4 states that may be left, 5 state entered, 6 events, 7 "1" where only the live lease's holder may, once,
 *        8 sealed result ("" for none), 9 its digest ("" for none), 10.. field, value, …
 *   Returns 1 | 0 (stale)
 */
export const LEAVE: Script = {
  name: "ledger-leave",
  lua: `${LUA_ENTRY}
if not holds(ARGV[3], ARGV[4]) then
  local again = redis.call('HMGET', ledger, 'state', 'fence', 'contentDigest')
  local same = again[1] == ARGV[5] and again[2] == ARGV[3] and (again[3] or '') == ARGV[9]
  return ARGV[7] ~= '1' and same and 1 or 0
end
if ARGV[7] == '1' and lease_over() then return 0 end
if ARGV[9] ~= '' then redis.call('HSET', ledger, 'contentDigest', ARGV[9]) end
enter(ARGV[5], unpack(ARGV, 10))
local kept = redis.call('HMGET', run, 'state', 'keepUntil')
if ARGV[8] ~= '' and kept[1] then
  redis.call('SET', result, ARGV[8])
  if kept[2] then redis.call('PEXPIREAT', result, kept[2]) end
end
append_events(events, ARGV[6])
return 1`,
};

/**
 * A longer lease on call and workspace. One that ran out stays out: others were told that nothing runs under it.
 *   ARGV 3 fence, 4 lease ms    Returns 1 | 0 (stale)
 */
export const RENEW: Script = {
  name: "ledger-renew",
  lua: `${LUA_ENTRY}
if not holds(ARGV[3], '${stateList([...STANDING.held, "RECONCILING"])}') or lease_over() then return 0 end
local until_ms = time + tonumber(ARGV[4])
redis.call('HSET', ledger, 'leaseUntil', until_ms)
if redis.call('HGET', workspace, 'holder') == item then redis.call('HSET', workspace, 'holderUntil', until_ms) end
return 1`,
};
