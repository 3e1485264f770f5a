import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedis, type RedisServer } from "./redis-server.ts";

/** Two servers at one address, as behind a name that a failover moves. */
export interface FailoverPair {
  /** where clients connect, before and after */
  readonly url: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  /** From here on the replica gets nothing more: what is written now will be lost. */
  cutOff(): Promise<void>;
  /** The master is gone, and the replica answers at the address. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

export async function startFailoverPair(): Promise<FailoverPair> {
  const [master, replica] = await Promise.all([startRedis(), startRedis()]);
  const { hostname, port } = new URL(master.url);
  await master.redis.config("SET", "repl-diskless-sync-delay", "0");
  await replica.redis.replicaof(hostname, Number(port));
  let target = Number(port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${own}`,
    master,
    replica,
    async cutOff() {
      await master.redis.set("cut-off", "here");
      while ((await replica.redis.get("cut-off")) === null) await sleep(10);
      await master.redis.config("SET", "repl-diskless-sync-delay", "0");
      await replica.redis.replicaof("NO", "ONE");
      await replica.redis.del("cut-off");
    },
    async failOver() {
      await master.kill();
      target = Number(new URL(replica.url).port);
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await Promise.all([master.close(), replica.close()]);
    },
  };
}
