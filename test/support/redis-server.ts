import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { aclFile, type RedisLogin } from "@airlock/core/acl";
import { redisAddress } from "@airlock/core/runtime";
import { connectRedis, type Redis } from "@airlock/core/store";
import { redisPasswords } from "../../packages/cli/src/local/index.ts";
import { knowsRedis72 } from "../../packages/cli/src/local/redis-program.ts";

export interface RedisServer {
  /** of somebody who may do everything */
  readonly url: string;
  /** of a user, where the server has them; else the same as `url` */
  readonly urlOf: (login: RedisLogin) => string;
  readonly redis: Redis;
  /** with its append-only files */
  readonly directory: string;
  /** Ends the server at once, as a crash would; its data stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface RedisOptions {
  readonly program?: string;
  readonly appendfsync?: "always" | "everysec";
  /** with a user for each service, as `airlock acl` makes them, and nobody else */
  readonly users?: boolean;
}

/** A Redis of the test's own: loopback, a free port, append-only, by default every write on disk before its answer. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-redis-"));
  const port = await freePort();
  const open = `redis://127.0.0.1:${port}`;
  const users = options.users === true ? await writeUsers(directory, options) : null;
  const urlOf = (login: RedisLogin): string =>
    users === null ? open : redisAddress(open, { user: login, password: users.passwords[login] });
  const url = urlOf("admin");
  const more = users === null ? [] : ["--aclfile", users.file];
  let server = await launch({ port, directory, more }, options);
  const redis = connectRedis(url, { name: "test", onState: () => undefined });
  await redis.ping();
  const kill = async (): Promise<void> => {
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  };
  return {
    url,
    urlOf,
    redis,
    directory,
    kill,
    async start() {
      server = await launch({ port, directory, more }, options);
    },
    async close() {
      redis.disconnect();
      if (server.exitCode === null && server.signalCode === null) await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function writeUsers(directory: string, { program = "redis-server" }: RedisOptions) {
  const passwords = redisPasswords((login) => path.join(directory, "passwords", login));
  const file = path.join(directory, "users.acl");
  const redis72 = knowsRedis72(execFileSync(program, ["--version"], { encoding: "utf8" }));
  await writeFile(file, aclFile(passwords, { redis72 }));
  return { passwords, file };
}

interface Place {
  readonly port: number;
  readonly directory: string;
  readonly more: readonly string[];
}

async function launch(
  { port, directory, more }: Place,
  { program = "redis-server", appendfsync = "always" }: RedisOptions,
): Promise<ChildProcess> {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
  const durable = ["--appendonly", "yes", "--appendfsync", appendfsync, "--maxmemory-policy", "noeviction"];
  const server = spawn(program, [...args, ...durable, ...more], { stdio: "ignore" });
  const failed = once(server, "error").then(([error]) => {
    throw new Error("redis-server is missing: run the README's second command, which installs it", {
      cause: error,
    });
  });
  await Promise.race([once(server, "spawn"), failed]);
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
