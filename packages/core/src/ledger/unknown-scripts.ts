import { fromStates } from "../call/index.ts";
import type { Script } from "../store/index.ts";
import { LUA_ENTRY } from "./entry-lua.ts";

/**
 * What a write-ahead log knows more of: the call had begun. A start that the ledger has given up itself, to be granted
 * anew, is known to it; and without its run a call has nothing left that it could be unknown to.
 *   ARGV 3 fence, 4 grant, 5 arguments digest, 6 tool, 7 effect, 8 owner, 9 events    Returns 1 | 0
 */
export const LOSE_UNSEEN: Script = {
  name: "ledger-lose-unseen",
  lua: `${LUA_ENTRY}
local fence, grant = tonumber(ARGV[3]), tonumber(ARGV[4])
local entry = redis.call('HMGET', ledger, 'state', 'digest', 'fence', 'burned')
if not entry[1] and redis.call('HEXISTS', run, 'state') == 0 then return 0 end
if entry[1] and not among('${fromStates("lose_unseen")}', entry[1]) then return 0 end
if entry[2] and entry[2] ~= ARGV[5] then return 0 end
if tonumber(entry[4] or '0') >= grant then return 0 end
redis.call('HSET', ledger, 'effect', ARGV[7])
enter('OUTCOME_UNKNOWN', 'fence', math.max(tonumber(entry[3] or '0'), fence), 'grant', grant, 'digest', ARGV[5],
  'tool', ARGV[6], 'owner', ARGV[8], 'leaseUntil', 0)
append_events(events, ARGV[9])
return 1`,
};

/**
 * Takes an unknown call to find out about it: a new fence each time, so that nobody else concludes.
 *   ARGV 3 owner, 4 lease ms, 5 events
 *   Returns { reconciling, fence, field, value, … } | { held, ms } | { settled, 0 }
 */
export const RECONCILE: Script = {
  name: "ledger-reconcile",
  lua: `${LUA_ENTRY}
local entry = redis.call('HMGET', ledger, 'state', 'leaseUntil')
if not among('${fromStates("reconcile")}', entry[1]) then return {'settled', 0} end
local left = tonumber(entry[2]) - time
if entry[1] == 'RECONCILING' and left > 0 then return {'held', left} end
local fence = redis.call('HINCRBY', ledger, 'fence', 1)
enter('RECONCILING', 'owner', ARGV[3], 'leaseUntil', time + tonumber(ARGV[4]))
append_events(events, ARGV[5])
return {'reconciling', fence, unpack(redis.call('HGETALL', ledger))}`,
};

/**
 * What a person says became of a call that waits for one.
 *   ARGV 3 states that may be left, 4 state entered, 5 resolution, 6 events, 7.. field, value, …    Returns 1 | 0
 */
export const RESOLVE: Script = {
  name: "ledger-resolve",
  lua: `${LUA_ENTRY}
local entry = redis.call('HMGET', ledger, 'state', 'resolution')
if not among(ARGV[3], entry[1]) then return entry[1] == ARGV[4] and entry[2] == ARGV[5] and 1 or 0 end
redis.call('HDEL', ledger, 'errorClass')
enter(ARGV[4], 'resolution', ARGV[5], unpack(ARGV, 7))
append_events(events, ARGV[6])
return 1`,
};

/**
 * Keeps a late result beside the entry, never as its outcome.
 *   ARGV 3 fence, 4 evidence as JSON without its time    Returns 1 | 0 (no entry, or one of a higher or the same fence is kept)
 */
export const KEEP_EVIDENCE: Script = {
  name: "ledger-keep-evidence",
  lua: `${LUA_ENTRY}
if redis.call('EXISTS', ledger) == 0 then return 0 end
local known = redis.call('HGET', ledger, 'evidence')
if known and cjson.decode(known)['fence'] >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', ledger, 'evidence', string.sub(ARGV[4], 1, -2) .. ',"at":' .. string.format('%.0f', time) .. '}')
return 1`,
};
