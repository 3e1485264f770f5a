import { fromStates } from "../call/index.ts";
import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../store/index.ts";

/** Lua: true where the caller still holds the call in one of the given states. */
const LUA_HOLDS = `
local function holds(ledger, fence, states)
  local entry = redis.call('HMGET', ledger, 'state', 'fence')
  return entry[1] and entry[2] == fence and string.find(states, ',' .. entry[1] .. ',', 1, true) ~= nil
end
local function free_workspace(workspace, item)
  if redis.call('HGET', workspace, 'holder') == item then redis.call('HDEL', workspace, 'holder', 'holderUntil') end
end`;

/**
 * CLAIMED to STARTED, by the live holder of the lease only. A call that the validator has settled meanwhile, as it
 * does with what is dropped, was told of by it and doesn't begin.
 *   KEYS 1 ledger, 2 call, 3 run, 4 workspace, 5 events
 *   ARGV 1 item key, 2 fence, 3 events started, 4 events cancelled
 *   Returns started | settled | stale
 */
export const BEGIN: Script = {
  name: "ledger-begin",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_HOLDS}
local ledger, call, run, workspace, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
if not holds(ledger, ARGV[2], '${fromStates("begin")}') then return 'stale' end
local ended = redis.call('HMGET', run, 'cancelled', 'endedAt')
local dropped = redis.call('HGET', call, 'settled')
if ended[1] or ended[2] or dropped then
  redis.call('HSET', ledger, 'state', 'CANCELLED', 'status', 'refused', 'errorClass', 'CANCELLED')
  free_workspace(workspace, ARGV[1])
  if not dropped then append_events(events, ARGV[4]) end
  return 'settled'
end
if tonumber(redis.call('HGET', ledger, 'leaseUntil')) <= now() then return 'stale' end
redis.call('HSET', ledger, 'state', 'STARTED', 'startedAt', now())
append_events(events, ARGV[3])
return 'started'`,
};

/**
 * One end per call: the transition's own states and the fence are compared, then everything is kept at once.
 *   KEYS 1 ledger, 2 workspace, 3 events, 4 result, 5 run
 *   ARGV 1 item key, 2 fence, 3 states that may be left, 4 state entered, 5 events, 6 ms that an entry is kept,
 *        7 sealed result ("" for none), 8.. field, value, …
 *   Returns 1 | 0 (stale)
 */
export const END: Script = {
  name: "ledger-end",
  lua: `${LUA_APPEND_EVENTS}${LUA_HOLDS}
local ledger, workspace, events = KEYS[1], KEYS[2], KEYS[3]
if not holds(ledger, ARGV[2], ARGV[3]) then return 0 end
redis.call('HSET', ledger, 'state', ARGV[4], unpack(ARGV, 8))
redis.call('PEXPIRE', ledger, ARGV[6])
local run = redis.call('HMGET', KEYS[5], 'state', 'keepUntil')
if ARGV[7] ~= '' and run[1] then
  redis.call('SET', KEYS[4], ARGV[7])
  if run[2] then redis.call('PEXPIREAT', KEYS[4], run[2]) end
end
free_workspace(workspace, ARGV[1])
append_events(events, ARGV[5])
return 1`,
};

/**
 * A longer lease on call and workspace. One that ran out stays out: others were told that nothing runs under it.
 *   KEYS 1 ledger, 2 workspace    ARGV 1 item key, 2 fence, 3 lease ms    Returns 1 | 0 (stale)
 */
export const RENEW: Script = {
  name: "ledger-renew",
  lua: `${LUA_NOW}${LUA_HOLDS}
if not holds(KEYS[1], ARGV[2], ',CLAIMED,STARTED,') then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'leaseUntil')) <= now() then return 0 end
local until_ms = now() + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'leaseUntil', until_ms)
if redis.call('HGET', KEYS[2], 'holder') == ARGV[1] then redis.call('HSET', KEYS[2], 'holderUntil', until_ms) end
return 1`,
};
