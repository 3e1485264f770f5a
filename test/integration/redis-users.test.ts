import { once } from "node:events";
import { queueName, queuePrefix, type QueueFamily } from "@airlock/core/queue";
import { ADMIN_USER, REDIS_USERS, type RedisUser } from "@airlock/core/acl";
import { createMetrics, showInstallation } from "@airlock/core/runtime";
import { connectRedis, globalKeys, runKeys, type Redis } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { denials } from "../support/denials.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const keys = runKeys("r");
const ITEM = "r.1.1.0";
const ATTEMPT = { turn: 1, attempt: 1 };

let server: RedisServer;
const connections = new Map<RedisUser, Redis>();

beforeAll(async () => {
  server = await startRedis({ users: true });
  for (const user of REDIS_USERS) {
    connections.set(user, connectRedis(server.urlOf(user), { name: "test", onState: () => undefined }));
  }
});

afterAll(async () => {
  for (const redis of connections.values()) redis.disconnect();
  await server.close();
});

beforeEach(() => server.redis.flushall());

type Words = readonly [string, ...(string | number)[]];

async function say(user: RedisUser, [command, ...rest]: Words): Promise<unknown> {
  return connections.get(user)?.call(command, ...rest);
}

function queueKey(family: QueueFamily, part: string): string {
  const name = queueName(family, "default");
  return `${queuePrefix(name)}:${name}:${part}`;
}

/** Adds a job as BullMQ does: its hash, then its id to what waits. */
function added(family: QueueFamily): readonly Words[] {
  return [["HMSET", queueKey(family, "j"), "name", "x", "data", "{}"]];
}

function told(family: QueueFamily): readonly Words[] {
  return [...added(family), ["LPUSH", queueKey(family, "wait"), "j"]];
}

const set = (key: string): Words => ["SET", key, "x"];
const hset = (key: string): Words => ["HSET", key, "state", "x"];

/** Each is tried by itself, and each has to be refused. */
const FORBIDDEN: Readonly<Record<RedisUser, Readonly<Record<string, readonly Words[]>>>> = {
  streamer: {
    "add to executions": told("executions"),
    "add to results": told("results"),
    "add to commands or approvals": [...told("commands"), ...told("approvals")],
    "write a call, which holds the grant": [hset(keys.call(ITEM)), ["DEL", keys.call(ITEM)]],
    "write the ledger": [hset(keys.ledger(ITEM)), ["HINCRBY", keys.ledger(ITEM), "fence", 1]],
    "write an approval": [hset(keys.approval(ITEM))],
    "write a spec": [set(keys.spec)],
    "write a run or a turn": [hset(keys.run), hset(keys.turn(1)), ["PERSIST", keys.run]],
    "write a result": [set(keys.result(ITEM))],
    "suspend or free a route": [hset(globalKeys.breaker("x")), ["DEL", globalKeys.breaker("x")]],
    "vouch for a route": [hset(globalKeys.report("x"))],
    "set or clear a kill switch": [hset(globalKeys.kill), ["HDEL", globalKeys.kill, "run:r"]],
    "take back what the conversation holds": [
      ["RPOP", keys.conversation],
      ["DEL", keys.conversation],
    ],
    "take back an event": [
      ["XDEL", keys.events, "1-1"],
      ["DEL", keys.events],
    ],
    "read a spec": [["GET", keys.spec]],
    "read a result": [["GET", keys.result(ITEM)]],
  },
  validator: {
    "write the ledger": [hset(keys.ledger(ITEM)), ["DEL", keys.ledger(ITEM)]],
    "write an approval": [hset(keys.approval(ITEM)), ["HDEL", keys.approval(ITEM), "ada"]],
    "write what the streamer says of a response": [
      hset(keys.item(ITEM)),
      set(keys.content(ITEM)),
      hset(keys.attempt(ATTEMPT)),
    ],
    "write a result or a workspace's lease": [set(keys.result(ITEM)), hset(keys.workspace)],
    "write a spec": [set(keys.spec)],
    "take back what the queue of executions told": [["XTRIM", queueKey("executions", "events"), "MAXLEN", 0]],
    "consume turns or executions": [
      ["RPOPLPUSH", queueKey("turns", "wait"), queueKey("turns", "active")],
      ["RPOPLPUSH", queueKey("executions", "wait"), queueKey("executions", "active")],
    ],
    "read or open sessions of the console": [
      ["HGETALL", globalKeys.consoleSession("x")],
      hset(globalKeys.consoleSession("x")),
    ],
  },
  executor: {
    "write a call, which holds the grant": [hset(keys.call(ITEM))],
    "write an item": [hset(keys.item(ITEM)), set(keys.content(ITEM))],
    "write an approval": [hset(keys.approval(ITEM))],
    "write a run, a turn or a spec": [hset(keys.run), hset(keys.turn(1)), set(keys.spec)],
    "set or clear a kill switch": [hset(globalKeys.kill), ["HDEL", globalKeys.kill, "run:r"]],
    "add to commands, turns, items or approvals": [
      ...told("commands"),
      ...told("turns"),
      ...told("items"),
      ...told("approvals"),
    ],
    "consume results": [["RPOPLPUSH", queueKey("results", "wait"), queueKey("results", "active")]],
    "count the runs of a pool as it likes": [["SADD", globalKeys.poolRuns("default"), "r"]],
    "read a conversation": [["LRANGE", keys.conversation, 0, -1]],
    "append to a conversation": [["RPUSH", keys.conversation, "x"]],
    "take back an event": [["XDEL", keys.events, "1-1"]],
  },
  console: {
    "write the ledger": [hset(keys.ledger(ITEM))],
    "write a call": [hset(keys.call(ITEM))],
    "write a run or a turn": [hset(keys.run), hset(keys.turn(1))],
    "add to executions": told("executions"),
    "add to turns, items or results": [...told("turns"), ...told("items"), ...told("results")],
    "make a question": added("approvals"),
    "consume commands": [["RPOPLPUSH", queueKey("commands", "wait"), queueKey("commands", "active")]],
    "set or clear a kill switch": [hset(globalKeys.kill), ["HDEL", globalKeys.kill, "run:r"]],
    "read a conversation": [["LRANGE", keys.conversation, 0, -1]],
  },
  client: {
    "write the ledger": [hset(keys.ledger(ITEM))],
    "write a call": [hset(keys.call(ITEM))],
    "write a run or a turn": [hset(keys.run), hset(keys.turn(1))],
    "add to executions": told("executions"),
    "set or clear a kill switch": [hset(globalKeys.kill), ["HDEL", globalKeys.kill, "run:r"]],
    "read or open sessions of the console": [
      ["HGETALL", globalKeys.consoleSession("x")],
      hset(globalKeys.consoleSession("x")),
    ],
  },
  metrics: {
    "write what it may look at": [
      ["ZADD", globalKeys.runs, 1, "r"],
      ["ZREM", globalKeys.open, "r"],
      ["DEL", globalKeys.approvals],
      ...told("executions"),
      ...told("commands"),
    ],
    "write anything of a run": [
      hset(keys.run),
      set(keys.spec),
      hset(keys.call(ITEM)),
      hset(keys.ledger(ITEM)),
    ],
    "read anything of a run": [
      ["HGETALL", keys.run],
      ["GET", keys.spec],
      ["XLEN", keys.events],
    ],
    "read a job": [["HGETALL", queueKey("executions", "j")]],
    "run a script": [["EVAL", "return 1", 0]],
  },
};

const ADMINISTRATION: Readonly<Record<string, Words>> = {
  FLUSHALL: ["FLUSHALL"],
  FLUSHDB: ["FLUSHDB"],
  KEYS: ["KEYS", "*"],
  "CONFIG SET": ["CONFIG", "SET", "appendfsync", "no"],
  "CONFIG REWRITE": ["CONFIG", "REWRITE"],
  "ACL LIST": ["ACL", "LIST"],
  "ACL SETUSER": ["ACL", "SETUSER", "mine", "on"],
  MONITOR: ["MONITOR"],
  "SCRIPT FLUSH": ["SCRIPT", "FLUSH"],
  "FUNCTION LOAD": ["FUNCTION", "LOAD", "#!lua name=x"],
  SHUTDOWN: ["SHUTDOWN", "NOSAVE"],
  REPLICAOF: ["REPLICAOF", "NO", "ONE"],
  "CLIENT LIST": ["CLIENT", "LIST"],
  "CLIENT KILL": ["CLIENT", "KILL", "TYPE", "normal"],
  PUBLISH: ["PUBLISH", "x", "y"],
  RENAME: ["RENAME", keys.spec, "mine"],
  COPY: ["COPY", keys.spec, "mine"],
  MIGRATE: ["MIGRATE", "127.0.0.1", 1, "x", 0, 1],
};

/** What Redis 7.0, and what later ones say of a denied command within a script, or of a script over a denied key. */
const SCRIPT_REFUSED = /NOPERM|ACL failure|The user executing the script can't/;

async function refusalOf(user: RedisUser, words: Words): Promise<string> {
  try {
    return `answered ${JSON.stringify(await say(user, words))}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe.each(REDIS_USERS)("the user %s", (user) => {
  test.each(Object.entries(FORBIDDEN[user]))("can't %s", async (_, tries) => {
    for (const words of tries) expect(await refusalOf(user, words), words.join(" ")).toMatch(/^NOPERM /);
  });

  // a script runs with the rights of its caller, whether it names its keys or not
  const inScripts = Object.entries(FORBIDDEN[user]).filter(([name]) => name !== "run a script");
  test.each(user === "metrics" ? [] : inScripts)("can't %s by a script either", async (_, tries) => {
    for (const words of tries) {
      const call = `return redis.call(unpack(ARGV))`;
      const undeclared = await refusalOf(user, ["EVAL", call, 0, ...words]);
      expect(undeclared, words.join(" ")).toMatch(SCRIPT_REFUSED);
      const declared = await refusalOf(user, ["EVAL", call, 1, String(words[1]), ...words]);
      expect(declared, words.join(" ")).toMatch(SCRIPT_REFUSED);
    }
  });

  test.each(Object.entries(ADMINISTRATION))("can't say %s", async (_, words) => {
    expect(await refusalOf(user, words)).toMatch(/^NOPERM /);
  });

  test("can't say DEBUG, even to a server that would do it", async () => {
    const answer = await server.redis.call("ACL", "DRYRUN", user, "DEBUG", "SLEEP", "0");
    expect(answer).toMatch(/no permissions to run the 'debug/);
  });
});

test("nobody comes in without a password, or with that of another", async () => {
  const { host } = new URL(server.url);
  const { password } = new URL(server.urlOf("streamer"));
  expect(await entryOf(`redis://${host}`)).toContain("NOAUTH");
  expect(await entryOf(`redis://validator:${password}@${host}`)).toContain("WRONGPASS");
  expect(await entryOf(server.urlOf("streamer"))).toBe("PONG");
});

test("what scripts wrote is there after Redis has started again", async () => {
  const lua = "redis.call('HSET', KEYS[1], 'a', '1'); redis.call('HSET', KEYS[1], 'b', '2')";
  await say("validator", ["EVAL", lua, 1, keys.run]);
  await server.kill();
  await server.start();
  expect(await say("validator", ["HGETALL", keys.run])).toEqual(["a", "1", "b", "2"]);
  await server.redis.ping();
  expect(await denials(server.redis)).toEqual([]);
});

async function entryOf(url: string): Promise<string> {
  const redis = connectRedis(url, { name: "test", onState: () => undefined });
  const failed = once(redis, "error").then(([error]) => String(error));
  const answer = await Promise.race([redis.ping().catch(String), failed.catch(String)]);
  redis.disconnect();
  return answer;
}

describe("what the rules can't stop", () => {
  test("a consumer adds to the queue that it consumes: its own scripts do; the signature stops it", async () => {
    for (const [user, family] of [
      ["streamer", "turns"],
      ["executor", "executions"],
      ["validator", "commands"],
    ] as const) {
      for (const words of told(family)) expect(await refusalOf(user, words)).toMatch(/^answered /);
    }
  });

  test("who appends to the events may cut the stream short", async () => {
    await server.redis.xadd(keys.events, "*", "e", "first");
    const words: Words = ["XADD", keys.events, "MAXLEN", 0, "*", "e", "{}"];
    expect(await refusalOf("streamer", words)).toMatch(/^answered /);
    expect(await server.redis.xlen(keys.events)).toBe(0);
  });

  test("an executor sees the names of all keys", async () => {
    await server.redis.set(globalKeys.consoleSession("x"), "y");
    expect(JSON.stringify(await say("executor", ["SCAN", 0]))).toContain("console:session");
    expect(await refusalOf("streamer", ["SCAN", 0])).toMatch(/^NOPERM /);
  });
});

test.each(["metrics", "validator"] as const)(
  "%s may read the figures of the installation, and needs no more for them",
  async (user) => {
    await server.redis.call("ACL", "LOG", "RESET");
    await server.redis.sadd(globalKeys.pools, "default");
    await server.redis.zadd(globalKeys.unknowns, 1, ITEM);
    await server.redis.hset(queueKey("executions", "j"), "timestamp", "1");
    await server.redis.lpush(queueKey("executions", "wait"), "j");
    const metrics = createMetrics("validator");
    const reader = connections.get(user);
    if (reader !== undefined) showInstallation(reader, metrics);
    const text = await metrics.text();
    expect(text).toMatch(/^airlock_installation_read\{service="validator"\} 1$/m);
    expect(text).toMatch(
      /^airlock_queue_jobs\{[^}]*queue="executions.default"[^}]*state="waiting"[^}]*\} 1$/m,
    );
    expect(await denials(server.redis)).toEqual([]);
  },
);

test("the administrator, whose password no service has, may look at what was denied", async () => {
  await server.redis.call("ACL", "LOG", "RESET");
  await refusalOf("streamer", ["FLUSHALL"]);
  expect(await denials(server.redis)).toEqual(["streamer toplevel command flushall"]);
  expect(await server.redis.call("ACL", "WHOAMI")).toBe(ADMIN_USER);
});
