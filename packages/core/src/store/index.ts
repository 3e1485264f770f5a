export { connectRedis, type Redis } from "./redis.ts";
export { globalKeys, runKeys, type RunKeys } from "./keys.ts";
export { runScript, type Script } from "./script.ts";
export { fieldsOf } from "./hash.ts";
export { readEvent, eventText, LUA_APPEND_EVENTS, LUA_NOW } from "./event-log.ts";
export { redisNow } from "./clock.ts";
