import type { RunEvent } from "../contract/index.ts";
import { runEventSchema } from "../contract/index.ts";

/** How many events a run's stream keeps, about. */
const EVENTS_KEPT = 4_000;

/** Lua: `now()` is Redis' own clock in milliseconds, the only clock that states are compared with. */
export const LUA_NOW = `
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end`;

/**
 * Lua: appends a JSON list of events, in the same script as the transition that they tell of. Only admission begins a
 * stream: what comes after a run's keys are gone must not leave one behind.
 */
export const LUA_APPEND_EVENTS = `
local function append_events(key, list)
  for _, event in ipairs(cjson.decode(list)) do
    redis.call('XADD', key, 'NOMKSTREAM', 'MAXLEN', '~', ${EVENTS_KEPT}, '*', 'e', event)
  end
end
local function begin_events(key, list)
  redis.call('XADD', key, '1-1', 'e', '')
  redis.call('XDEL', key, '1-1')
  append_events(key, list)
end`;

/** The argument that `append_events` takes: each event is checked here and stays text from here on. */
export function eventText(events: readonly RunEvent[]): string {
  return JSON.stringify(events.map((event) => JSON.stringify(runEventSchema.parse(event))));
}

/** Reads one stream entry; null where a newer build wrote it. */
export function readEvent(entry: readonly string[]): RunEvent | null {
  const [, text] = entry;
  if (text === undefined) return null;
  const parsed = runEventSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}
