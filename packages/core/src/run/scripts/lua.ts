/** Lua shared by the run's scripts. A field list comes as one JSON object of strings. */
export const LUA_FIELDS = `
local function set_fields(key, text)
  for field, value in pairs(cjson.decode(text)) do redis.call('HSET', key, field, value) end
end
local function push_entries(key, text)
  for _, entry in ipairs(cjson.decode(text)) do redis.call('RPUSH', key, entry) end
end`;
