import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startCell, type Cell, type CellOptions, type ProcessName } from "../../support/cell.ts";
import { createNamer } from "./command-name.ts";
import { startRedisProxy, type Failpoint, type RedisProxy } from "./redis-proxy.ts";

/** A cell whose processes reach Redis through proxies of their own, and can so be stopped between any two steps. */
export interface CrashCell extends Cell {
  proxyOf(name: ProcessName): RedisProxy;
  /** SIGKILLs the process at the failpoint; resolves when it is dead. */
  killAt(name: ProcessName, point: Failpoint): Promise<void>;
  restart(name: ProcessName): Promise<void>;
  /** Keeps what Redis has on disk now; what is returned brings it back, as a fail-over to a replica that lagged does. */
  keepRedis(): Promise<{ bringBack(): Promise<void>; remove(): Promise<void> }>;
}

export async function startCrashCell(options: CellOptions): Promise<CrashCell> {
  const name = await createNamer();
  const proxies = new Map<ProcessName, RedisProxy>();
  const cell = await startCell({
    ...options,
    async redisUrl(process, direct) {
      const proxy = proxies.get(process) ?? (await startRedisProxy(direct, name));
      proxies.set(process, proxy);
      const through = new URL(direct); // as the process's own user
      through.port = new URL(proxy.url).port;
      return through.href;
    },
  });
  function proxyOf(process: ProcessName): RedisProxy {
    const proxy = proxies.get(process);
    if (proxy === undefined) throw new Error(`${process} was never started`);
    return proxy;
  }
  return {
    ...cell,
    proxyOf,
    killAt: (process, point) =>
      proxyOf(process).at(point, async () => {
        await cell.kill(process);
        return "cut" as const;
      }),
    async restart(process) {
      await cell.kill(process);
      await cell.start(process);
    },
    async keepRedis() {
      const kept = await mkdtemp(path.join(tmpdir(), "airlock-kept-"));
      await cp(cell.server.directory, kept, { recursive: true });
      return {
        async bringBack() {
          await cell.server.kill();
          await rm(cell.server.directory, { recursive: true, force: true });
          await cp(kept, cell.server.directory, { recursive: true });
          await cell.server.start();
        },
        remove: () => rm(kept, { recursive: true, force: true }),
      };
    },
    async close() {
      await cell.close();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}
