import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Redis } from "@airlock/core/store";
import { PIPELINE, type Cell, type ProcessName } from "./cell.ts";

/** Everything that a Redis server is told from now on, each command as one line. */
export async function recordCommands(redis: Redis): Promise<{ readonly lines: string[]; stop(): void }> {
  const lines: string[] = [];
  // by hand: a client library takes the first command that it is told of for the answer to its own
  const { host = "127.0.0.1", port = 6379, username = "default", password } = redis.options;
  const socket = connect({ host, port });
  createInterface({ input: socket }).on("line", (line) => lines.push(line));
  const asked = [...(password ? [`AUTH ${username} ${password}`] : []), "MONITOR"];
  socket.write(asked.map((command) => `${command}\r\n`).join(""));
  while (lines.length < asked.length) await once(socket, "data");
  const refused = lines.find((line) => line.startsWith("-"));
  if (refused !== undefined) throw new Error(`no commands can be recorded: ${refused}`);
  return { lines, stop: () => socket.destroy() };
}

/** The whole content of every key, as text by key. */
export async function dumpKeys(redis: Redis): Promise<ReadonlyMap<string, string>> {
  const dump = new Map<string, string>();
  for (const key of await redis.keys("*")) dump.set(key, JSON.stringify([key, await contentOf(redis, key)]));
  return dump;
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "list":
      return redis.lrange(key, 0, -1);
    case "set":
      return redis.smembers(key);
    case "zset":
      return redis.zrange(key, "0", "-1", "WITHSCORES");
    case "stream":
      return redis.xrange(key, "-", "+");
    case "none":
      return null; // it has expired since its name was read
    default:
      throw new Error(`${key} is a ${type}, which nobody looks into`);
  }
}

/** What each service has written to its log and answers over HTTP. */
export async function readServices(
  cell: Cell,
  services: readonly ProcessName[] = PIPELINE,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const service of services) {
    const log = await cell.logOf(service);
    texts.set(`${service}'s log`, log);
    const port = [...log.matchAll(/"event":"service_started","port":(\d+)/g)].at(-1)?.[1];
    if (port === undefined) throw new Error(`${service} tells no port`);
    for (const page of ["metrics", "ready", "live"]) {
      const answer = await fetch(`http://127.0.0.1:${port}/${page}`);
      texts.set(`${service}'s /${page}`, await answer.text());
    }
  }
  return texts;
}
