import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectRedis, type Redis } from "@airlock/core/store";

export interface RedisServer {
  readonly url: string;
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
}

/** A Redis of the test's own: loopback, a free port, append-only, by default every write on disk before its answer. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await launch(port, directory, options);
  const redis = connectRedis(url, { name: "test", onState: () => undefined });
  await redis.ping();
  const kill = async (): Promise<void> => {
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  };
  return {
    url,
    redis,
    directory,
    kill,
    async start() {
      server = await launch(port, directory, options);
    },
    async close() {
      redis.disconnect();
      if (server.exitCode === null && server.signalCode === null) await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function launch(
  port: number,
  directory: string,
  { program = "redis-server", appendfsync = "always" }: RedisOptions,
): Promise<ChildProcess> {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
  const durable = ["--appendonly", "yes", "--appendfsync", appendfsync, "--maxmemory-policy", "noeviction"];
  const server = spawn(program, [...args, ...durable], { stdio: "ignore" });
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
