import { OWN_ORDINALS } from "../../record/index.ts";

/**
 * Lua: how long a run's keys live. While it goes on they have no end; its end sets `keepUntil`, when all of them go.
 * What is set aside, partial or refused, has an end of its own from the start, which its hash tells as `rawUntil`.
 * All of it is Redis' own expiry, so it holds without anybody who sweeps.
 */
export const LUA_RETENTION = `
local function raw_ms(run)
  local plan = redis.call('HGET', run, 'plan')
  return plan and tonumber(cjson.decode(plan)['rawMs']) or 0
end

-- The key ends with the run, if the run has ended: for what is written after it.
local function keep_with(run, ...)
  local keep = redis.call('HGET', run, 'keepUntil')
  if not keep then return end
  for _, key in ipairs({...}) do redis.call('PEXPIREAT', key, keep, 'LT') end
end

local function set_aside(run, hash, key, time)
  local raw_until = string.format('%.0f', time + raw_ms(run))
  redis.call('HSETNX', hash, 'rawUntil', raw_until)
  redis.call('PEXPIREAT', key, raw_until, 'LT')
end

-- What a response has calls for: its items, and what the validator made of it, which begins with the call's own record.
local function each_item(base, response, items, visit)
  for ordinal = 0, items - 1 do visit(response .. '.' .. ordinal) end
  for _, ordinal in ipairs({${Object.values(OWN_ORDINALS).join(", ")}}) do
    local item = response .. '.' .. ordinal
    if redis.call('EXISTS', base .. 'call:' .. item) == 1 then visit(item) end
  end
end

-- visit(key, hashes that may tell when it goes); all keys but the ledger's, which outlive the run.
local function each_key(run, visit)
  local base, id = string.sub(run, 1, -4), string.match(run, '{(.-)}')
  local names = {'spec', 'run', 'workspace', 'unknown', 'frozen', 'diff', 'partial', 'conversation', 'events', 'actions'}
  for _, name in ipairs(names) do
    visit(base .. name, {})
  end
  for turn = 1, tonumber(redis.call('HGET', run, 'turn') or '0') do
    local turn_key = base .. 'turn:' .. turn
    visit(turn_key, {})
    for attempt = 1, tonumber(redis.call('HGET', turn_key, 'attempt') or '0') do
      local place = turn .. '.' .. attempt
      local attempt_key = base .. 'attempt:' .. place
      local items = tonumber(redis.call('HGET', attempt_key, 'items') or '0')
      visit(attempt_key, {})
      visit(base .. 'raw:' .. place, {attempt_key})
      each_item(base, id .. '.' .. place, items, function(item)
        local item_key, call_key = base .. 'item:' .. item, base .. 'call:' .. item
        visit(item_key, {})
        visit(call_key, {})
        visit(base .. 'content:' .. item, {item_key, call_key})
        visit(base .. 'arguments:' .. item, {call_key})
        visit(base .. 'result:' .. item, {})
        visit(base .. 'approval:' .. item, {})
      end)
    end
  end
end

local function end_keys(run, keep_until)
  redis.call('HSET', run, 'keepUntil', keep_until)
  each_key(run, function(key) redis.call('PEXPIREAT', key, keep_until, 'LT') end)
end

-- A run that goes on again: its keys stay, but for what has an end of its own.
local function keep_again(run)
  redis.call('HDEL', run, 'keepUntil')
  each_key(run, function(key, hashes)
    redis.call('PERSIST', key)
    for _, hash in ipairs(hashes) do
      local raw_until = redis.call('HGET', hash, 'rawUntil')
      if raw_until then redis.call('PEXPIREAT', key, raw_until, 'LT') end
    end
  end)
end`;
