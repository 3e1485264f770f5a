/** Lua shared by the run's scripts. A field list comes as one JSON object of strings; all of it is set at once. */
export const LUA_FIELDS = `
local function set_fields(key, text)
  local list = {}
  for field, value in pairs(cjson.decode(text)) do
    list[#list + 1] = field
    list[#list + 1] = value
  end
  if #list > 0 then redis.call('HSET', key, unpack(list)) end
end
local function push_entries(key, text)
  local entries = cjson.decode(text)
  if #entries > 0 then redis.call('RPUSH', key, unpack(entries)) end
end`;
