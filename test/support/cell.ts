import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublisher, type Publisher } from "@airlock/core/queue";
import { createKeyrings, newRunId, ROLES, type Keyring, type Role } from "@airlock/core/record";
import { isFinalRun, parseRunSpec, readRun, writeSpec, type RunHash } from "@airlock/core/run";
import type { ServiceName } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { Family } from "@airlock/core/wire";
import { startGateway, type Gateway, type GatewayOptions } from "@airlock/replay";
import { gatewayRoutes } from "../../packages/cli/src/local/index.ts";
import { denials } from "./denials.ts";
import { ROOT } from "./root.ts";
import { program, toolchains } from "./programs.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";
import { playContract, vouchFor } from "./route-trust.ts";

export { ROOT };

/** Each process that a cell may have, and the service that it is. */
const PROCESSES = {
  streamer: "streamer",
  "streamer-2": "streamer",
  validator: "validator",
  executor: "executor",
  "executor-2": "executor",
  console: "console",
} as const satisfies Readonly<Record<string, ServiceName>>;
export type ProcessName = keyof typeof PROCESSES;

/** The services that a run passes through: what a cell starts by itself. */
export const PIPELINE = ["streamer", "validator", "executor"] as const satisfies readonly ServiceName[];

/**
 * A whole Airlock of the test's own: Redis, gateway, and the three services as processes, each as its own user of Redis. What Redis
 * denied one of them fails the test that closes the cell.
 */
export interface Cell {
  readonly directory: string;
  readonly volume: string;
  readonly server: RedisServer;
  readonly redis: Redis;
  readonly gateway: Gateway;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
  readonly client: Publisher;
  start(name: ProcessName): Promise<void>;
  /** SIGKILL: nothing of the process gets to say goodbye. */
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<void>;
  processOf(name: ProcessName): ChildProcess | undefined;
  logOf(name: ProcessName): Promise<string>;
  submit(spec: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until a run has ended and returns its record. */
  ended(run: string, timeoutMs?: number): Promise<RunHash>;
  /** Makes routes of the gateway verified (`gateway`, if none is named) by reports that nothing was played for. */
  trustRoute(...names: readonly string[]): Promise<void>;
  /** Makes routes of the gateway verified by playing every contract scenario. */
  verifyRoute(name: string, ...others: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface CellOptions {
  /** folder with the cases that the gateway plays */
  readonly fixtures?: string;
  readonly sources: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** what one process has besides */
  readonly envOf?: (name: ProcessName) => Readonly<Record<string, string>>;
  readonly services?: readonly ProcessName[];
  /** fields of the route `gateway` besides those that every cell has */
  readonly route?: Readonly<Record<string, unknown>>;
  /** further routes to the gateway besides the one of each wire family that every cell has */
  readonly routes?: Readonly<Record<string, { readonly family: Family } & Readonly<Record<string, unknown>>>>;
  readonly gateway?: Pick<GatewayOptions, "log" | "beforeEnd">;
  /** by which address a process reaches Redis; its own, if left out */
  readonly redisUrl?: (name: ProcessName, direct: string) => Promise<string>;
}

/** Short times, so that a crash is noticed within seconds. */
const BRISK = {
  AIRLOCK_LOCK_MS: "2000",
  AIRLOCK_STALLED_MS: "500",
  AIRLOCK_SWEEP_MS: "300",
  AIRLOCK_OPEN_MS: "1500",
  AIRLOCK_LEASE_MS: "1500",
  AIRLOCK_RETRY_MS: "100",
  AIRLOCK_DRAIN_MS: "2000",
};

/** What one report of a gateway's route covers: all its recordings. */
const GATEWAY_MODELS = "replay/**";

const READS: Readonly<Record<ServiceName, readonly string[]>> = {
  streamer: ["AIRLOCK_ROUTES", "COMETAPI_KEY"],
  validator: ["AIRLOCK_ROUTES", "AIRLOCK_POLICIES", "AIRLOCK_SOURCES"],
  executor: ["AIRLOCK_POLICIES", "AIRLOCK_SOURCES", "AIRLOCK_VOLUME", "AIRLOCK_TOOLCHAINS"],
  console: ["AIRLOCK_ROUTES", "AIRLOCK_USERS", "AIRLOCK_APPROVER_KEYRING"],
};

export async function startCell(options: CellOptions): Promise<Cell> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-cell-"));
  await chmod(directory, 0o711);
  const volume = path.join(directory, "volume");
  await mkdir(volume, { mode: 0o711 });
  const server = await startRedis({ users: true });
  const gateway = await startGateway({
    directory: options.fixtures ?? path.join(ROOT, "fixtures"),
    ...options.gateway,
  });
  const keyrings = createKeyrings();
  for (const role of ROLES) {
    await writeFile(path.join(directory, `${role}.json`), JSON.stringify(keyrings[role]), { mode: 0o600 });
  }
  const routes = path.join(directory, "routes.yaml");
  const routeTable = cellRoutes(gateway.url, options);
  await writeFile(routes, JSON.stringify({ routes: routeTable }));
  const client = createPublisher({ redis: server.redis, keyring: keyrings.client });
  const processes = new Map<ProcessName, ChildProcess>();
  const settings: Readonly<Record<string, string>> = {
    AIRLOCK_ROUTES: routes,
    AIRLOCK_POLICIES: path.join(ROOT, "config/policies"),
    AIRLOCK_SOURCES: options.sources.join(","),
    AIRLOCK_VOLUME: volume,
    AIRLOCK_TOOLCHAINS: toolchains(),
    COMETAPI_KEY: "test-key",
    AIRLOCK_USERS: path.join(directory, "users.yaml"),
    AIRLOCK_APPROVER_KEYRING: path.join(directory, "approver.json"),
  };
  const logFile = (name: ProcessName): string => path.join(directory, `${name}.log`);

  async function start(name: ProcessName): Promise<void> {
    const service = PROCESSES[name];
    const own = Object.fromEntries(READS[service].map((setting) => [setting, settings[setting] ?? ""]));
    const child = spawn(process.execPath, program(`services/${service}`), {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"] ?? "",
        REDIS_URL: (await options.redisUrl?.(name, server.urlOf(service))) ?? server.urlOf(service),
        AIRLOCK_KEYRING: path.join(directory, `${service}.json`),
        ...BRISK,
        ...own,
        ...options.env,
        ...options.envOf?.(name),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = createWriteStream(logFile(name), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    processes.set(name, child);
    await started(child, name);
  }

  async function kill(name: ProcessName, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = processes.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  function gatewayRoute(route: string): { readonly route: string; readonly family: Family } {
    const family = routeTable[route]?.family;
    if (family === undefined) throw new Error(`the cell has no route ${route}`);
    return { route, family };
  }

  const cell: Cell = {
    directory,
    volume,
    server,
    redis: server.redis,
    gateway,
    keyrings,
    client,
    start,
    kill,
    processOf: (name) => processes.get(name),
    logOf: (name) => readFile(logFile(name), "utf8"),
    async submit(input) {
      const run = newRunId();
      const spec = parseRunSpec(input, "test");
      const { specDigest } = await writeSpec({ redis: server.redis, keyring: keyrings.client }, run, spec);
      const body = { version: 1, run, requestedBy: "test", kind: "submit", specDigest } as const;
      await client.publish(client.sign({ purpose: "command", body }));
      return run;
    },
    async ended(run, timeoutMs = 60_000) {
      const deadline = Date.now() + timeoutMs;
      while (Date.now() < deadline) {
        const hash = await readRun(server.redis, run);
        if (hash !== null && isFinalRun(hash.state)) return hash;
        await sleep(50);
      }
      throw new Error(`run ${run} did not end; the cell's logs are in ${directory}`);
    },
    async trustRoute(...names) {
      const trusted = (names.length === 0 ? ["gateway"] : names).map(gatewayRoute);
      await Promise.all(trusted.map((on) => vouchFor(cell, { ...on, covers: GATEWAY_MODELS })));
    },
    async verifyRoute(...names) {
      await Promise.all(names.map((name) => playContract(cell, gatewayRoute(name))));
    },
    async close() {
      const denied = await denials(server.redis);
      await Promise.all([...processes.keys()].map((name) => kill(name)));
      await gateway.close();
      await client.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
      if (denied.length > 0) throw new Error(`Redis denied what a service needs: ${denied.join("; ")}`);
    },
  };
  await Promise.all((options.services ?? PIPELINE).map(start));
  return cell;
}

function cellRoutes(
  url: string,
  { route, routes = {} }: CellOptions,
): Record<string, { readonly family: Family }> {
  const own = gatewayRoutes(url);
  const more = Object.entries(routes).map(
    ([name, fields]) => [name, { ...own["gateway"], ...fields }] as const,
  );
  return {
    ...own,
    gateway: { family: "responses", ...own["gateway"], ...route },
    ...Object.fromEntries(more),
  };
}

async function started(child: ChildProcess, name: ProcessName): Promise<void> {
  let seen = "";
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      seen += chunk.toString("utf8");
      if (seen.includes('"service_started"')) resolve();
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} at its start: ${seen}`)));
  });
}
