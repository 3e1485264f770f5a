import type { RedisUser } from "./users.ts";

/**
 * What every connection says. None of it touches a key. `CLIENT SETINFO` is not among them: Redis 7.0 does not know it, and
 * our connections don't send it.
 */
export const CONNECT = ["auth", "hello", "ping", "info", "quit", "client|setname", "time"] as const;

/** Besides, where a service needs them. `waitaof` is unknown to Redis before 7.2, whose ACL file must not name it. */
export const BESIDES = {
  streamer: [],
  validator: [],
  // SCAN: after a loss of a part of Redis, for the grants that may have begun; it tells names of keys, nothing of their content
  executor: ["config|get", "scan", "waitaof"],
  // MULTI and EXEC grant nothing: what stands between them is checked each by itself
  console: ["multi", "exec", "discard"],
  client: [],
  metrics: [],
} as const satisfies Record<RedisUser, readonly string[]>;

export const SINCE_7_2: readonly string[] = ["waitaof"];

/** A script is checked command by command with its caller's rights, so the right to run one grants nothing by itself. */
export const RUN_SCRIPTS = ["eval", "evalsha"] as const;

export const READ = [
  ..."exists get strlen hexists hget hgetall hkeys hlen hmget hvals llen lindex lrange pttl".split(" "),
  ..."scard sismember smembers sscan type xlen xrange xread xrevrange".split(" "),
  ..."zcard zcount zrange zrangebyscore zrevrange zrevrangebyscore zrevrank zscore".split(" "),
] as readonly string[];

/** What a service does to the keys that are its own. */
export const WRITE = {
  streamer: "del hdel hincrby hset hsetnx pexpire pexpireat set zadd zrem zremrangebyscore".split(" "),
  validator: (
    "del hdel hincrby hset hsetnx persist pexpire pexpireat rpop rpush sadd set srem xadd xdel zadd zrem " +
    "zremrangebyscore"
  ).split(" "),
  executor: "del hdel hincrby hset persist pexpireat sadd set srem zadd zrem".split(" "),
  console: "del hdel hset incr pexpire pexpireat set xadd zadd zremrangebyscore".split(" "),
  client: "hdel hset pexpireat set".split(" "),
  metrics: [],
} as const satisfies Record<RedisUser, readonly string[]>;

export const APPEND = ["rpush", "xadd"] as const;

/** What Redis itself forgets, and when: the validator says so of all of a run's keys when the run ends. */
export const LIFETIME = ["persist", "pexpireat"] as const;

/** Figures: how many, how long, and of what stands at an end, since when. */
export const COUNT = "exists hget hlen lindex llen scard smembers strlen type xlen zcard zcount zrange".split(
  " ",
) as readonly string[];

/** What BullMQ's scripts need. Less would be worse: a command that is denied in a script does not undo those before it. */
export const PRODUCE = (
  "exists get set del hget hmget hset hmset incr llen lindex lpush lrange pttl persist sadd scard xadd zadd zcard " +
  "zrange zrem zrevrangebyscore zscore"
).split(" ") as readonly string[];

export const CONSUME = (
  "bzpopmin exists get set del unlink hget hmget hset hmset hgetall hincrby hdel hexists incr llen lindex lpush rpush " +
  "rpop lpop lrem lrange ltrim rpoplpush sadd srem smembers scard sismember type persist xadd xtrim zadd zcard zrem " +
  "zrange zrangebyscore zrevrange zrevrangebyscore zremrangebyscore zremrangebyrank zcount zscore zpopmin pexpire pttl"
).split(" ") as readonly string[];

/** To promote or remove a job that is there, and nothing that would make one: that needs `hmset`. */
export const ACT = "del hdel hset incr lpop lpush lrem srem unlink xadd zadd zrem".split(
  " ",
) as readonly string[];
