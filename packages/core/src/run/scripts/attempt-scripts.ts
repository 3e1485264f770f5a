import { LUA_APPEND_EVENTS, LUA_NOW, type Script } from "../../store/index.ts";
import { LUA_FIELDS } from "./lua.ts";
import { LUA_RETENTION } from "./retention-lua.ts";

/**
 * Begins an attempt once: a request is sent only after the answer `begin`.
 *   KEYS 1 attempt, 2 turn, 3 run, 4 events    ARGV 1 owner, 2 attempt, 3 events
 *   Returns begin | begun (by another) | committed | stale
 */
export const BEGIN_ATTEMPT: Script = {
  name: "attempt-begin",
  lua: `${LUA_APPEND_EVENTS}
local state = redis.call('HGET', KEYS[1], 'state')
if state then return state end
local ended = redis.call('HMGET', KEYS[3], 'endedAt', 'cancelled')
local turn = redis.call('HMGET', KEYS[2], 'state', 'attempt')
if ended[1] or ended[2] or turn[1] ~= 'streaming' or turn[2] ~= ARGV[2] then return 'stale' end
redis.call('HSET', KEYS[1], 'state', 'begun', 'owner', ARGV[1])
append_events(KEYS[4], ARGV[3])
return 'begin'`,
};

/**
 * Stores the record of an item before its response has ended; the commit stores it again, as it stands then.
 *   KEYS 1 attempt, 2 turn, 3 run, 4 events, 5 item, 6 content
 *   ARGV 1 owner, 2 attempt, 3 record, 4 sealed content, 5 events, 6 items so far
 *   Returns 1 | 0 (the attempt is not this owner's, not current or committed, or the run ends)
 */
export const STORE_EARLY_ITEM: Script = {
  name: "attempt-early-item",
  lua: `${LUA_APPEND_EVENTS}
local ended = redis.call('HMGET', KEYS[3], 'endedAt', 'cancelled')
local held = redis.call('HMGET', KEYS[1], 'state', 'owner')
local turn = redis.call('HMGET', KEYS[2], 'state', 'attempt')
if ended[1] or ended[2] or held[1] ~= 'begun' or held[2] ~= ARGV[1] then return 0 end
if turn[1] ~= 'streaming' or turn[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[5], 'record', ARGV[3])
redis.call('SET', KEYS[6], ARGV[4])
redis.call('HSET', KEYS[1], 'items', ARGV[6])
append_events(KEYS[4], ARGV[5])
return 1`,
};

/**
 * Commits an attempt: its records, and its output where the outcome lets that go on. What is set aside of it, of an item
 * or of the whole response, goes when the run's retention says so.
 *   KEYS 1 attempt, 2 turn, 3 run, 4 conversation, 5 events, 6 raw, 7.. item and content of each item
 *   ARGV 1 owner ("" commits for one that is lost), 2 attempt, 3 attempt fields, 4 conversation entries, 5 events,
 *        6 sealed bytes of the response ("" for none), 7.. of each item: record, sealed content ("" for none, or for one
 *        that is stored), 1 where it is set aside, else ""
 *   Returns committed | already | stale
 */
export const COMMIT_ATTEMPT: Script = {
  name: "attempt-commit",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}${LUA_FIELDS}${LUA_RETENTION}
local held = redis.call('HMGET', KEYS[1], 'state', 'owner')
if held[1] == 'committed' then return 'already' end
if held[1] ~= 'begun' or (ARGV[1] ~= '' and held[2] ~= ARGV[1]) then return 'stale' end
local turn = redis.call('HMGET', KEYS[2], 'state', 'attempt')
if turn[1] ~= 'streaming' or turn[2] ~= ARGV[2] then return 'stale' end
local time = now()
local items = (#KEYS - 6) / 2
local before = tonumber(redis.call('HGET', KEYS[1], 'items') or '0')
set_fields(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'committed', 'items', math.max(items, before))
if ARGV[6] ~= '' then
  redis.call('SET', KEYS[6], ARGV[6])
  set_aside(KEYS[3], KEYS[1], KEYS[6], time)
end
for i = 0, items - 1 do
  local item, content, at = KEYS[7 + i * 2], KEYS[8 + i * 2], 7 + i * 3
  redis.call('HSET', item, 'record', ARGV[at])
  if ARGV[at + 1] ~= '' then redis.call('SET', content, ARGV[at + 1]) end
  if ARGV[at + 2] ~= '' then set_aside(KEYS[3], item, content, time) end
  keep_with(KEYS[3], item, content)
end
keep_with(KEYS[3], KEYS[1], KEYS[6])
if redis.call('HEXISTS', KEYS[3], 'endedAt') == 0 then push_entries(KEYS[4], ARGV[4]) end
append_events(KEYS[5], ARGV[5])
return 'committed'`,
};
