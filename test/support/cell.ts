import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createWriteStream, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublisher, type Publisher } from "@airlock/core/queue";
import { createKeyrings, newRunId, ROLES, type Keyring, type Role } from "@airlock/core/record";
import { isFinalRun, parseRunSpec, readRun, writeSpec, type RunHash } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";
import { startGateway, type Gateway } from "@airlock/replay";
import { startRedis, type RedisServer } from "./redis-server.ts";

export const ROOT = path.resolve(import.meta.dirname, "../..");

export type ServiceName = "streamer" | "validator" | "executor";

/** A whole Airlock of the test's own: Redis, gateway, and the three services as processes. */
export interface Cell {
  readonly directory: string;
  readonly volume: string;
  readonly server: RedisServer;
  readonly redis: Redis;
  readonly gateway: Gateway;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
  readonly client: Publisher;
  start(service: ServiceName): Promise<void>;
  /** SIGKILL: nothing of the process gets to say goodbye. */
  kill(service: ServiceName, signal?: NodeJS.Signals): Promise<void>;
  processOf(service: ServiceName): ChildProcess | undefined;
  logOf(service: ServiceName): Promise<string>;
  submit(spec: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until a run has ended and returns its record. */
  ended(run: string, timeoutMs?: number): Promise<RunHash>;
  /** Marks the gateway's route as verified by playing its contract scenarios. */
  verifyRoute(): Promise<void>;
  close(): Promise<void>;
}

export interface CellOptions {
  /** folder with the cases that the gateway plays */
  readonly fixtures?: string;
  readonly sources: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly services?: readonly ServiceName[];
  /** fields of the gateway's route besides those that every cell has */
  readonly route?: Readonly<Record<string, unknown>>;
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

const READS: Readonly<Record<ServiceName, readonly string[]>> = {
  streamer: ["AIRLOCK_ROUTES", "COMETAPI_KEY"],
  validator: ["AIRLOCK_ROUTES", "AIRLOCK_POLICIES", "AIRLOCK_SOURCES"],
  executor: ["AIRLOCK_POLICIES", "AIRLOCK_SOURCES", "AIRLOCK_VOLUME", "AIRLOCK_TOOLCHAINS"],
};

export async function startCell(options: CellOptions): Promise<Cell> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-cell-"));
  await chmod(directory, 0o711);
  const volume = path.join(directory, "volume");
  await mkdir(volume, { mode: 0o711 });
  const server = await startRedis();
  const gateway = await startGateway({ directory: options.fixtures ?? path.join(ROOT, "fixtures") });
  const keyrings = createKeyrings();
  for (const role of ROLES) {
    await writeFile(path.join(directory, `${role}.json`), JSON.stringify(keyrings[role]), { mode: 0o600 });
  }
  const routes = path.join(directory, "routes.yaml");
  await writeFile(
    routes,
    JSON.stringify({ routes: { gateway: { ...gatewayRoute(gateway.url), ...options.route } } }),
  );
  const client = createPublisher({ redis: server.redis, keyring: keyrings.client });
  const processes = new Map<ServiceName, ChildProcess>();
  const settings: Readonly<Record<string, string>> = {
    AIRLOCK_ROUTES: routes,
    AIRLOCK_POLICIES: path.join(ROOT, "config/policies"),
    AIRLOCK_SOURCES: options.sources.join(","),
    AIRLOCK_VOLUME: volume,
    AIRLOCK_TOOLCHAINS: toolchains(),
    COMETAPI_KEY: "test-key",
  };
  const logFile = (service: ServiceName): string => path.join(directory, `${service}.log`);

  async function start(service: ServiceName): Promise<void> {
    const own = Object.fromEntries(READS[service].map((name) => [name, settings[name] ?? ""]));
    const child = spawn(
      process.execPath,
      ["--conditions=source", "--import", "tsx", path.join(ROOT, `services/${service}/src/main.ts`)],
      {
        cwd: ROOT,
        env: {
          PATH: process.env["PATH"] ?? "",
          REDIS_URL: server.url,
          AIRLOCK_KEYRING: path.join(directory, `${service}.json`),
          ...BRISK,
          ...own,
          ...options.env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const log = createWriteStream(logFile(service), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    processes.set(service, child);
    await started(child, service);
  }

  async function kill(service: ServiceName, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = processes.get(service);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
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
    processOf: (service) => processes.get(service),
    logOf: (service) => readFile(logFile(service), "utf8"),
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
    async verifyRoute() {
      for (const [scenario, model] of [
        ["text", "replay/demo/contract-text"],
        ["tool_call", "replay/demo/contract-tool"],
      ] as const) {
        const tools = scenario === "text" ? [] : ["read_file"];
        const run = await cell.submit({
          route: "gateway",
          model,
          instructions: "",
          input: "contract",
          policy: "read-only",
          tools,
          contract: scenario,
        });
        await cell.ended(run);
      }
    },
    async close() {
      await Promise.all((["streamer", "validator", "executor"] as const).map((service) => kill(service)));
      await gateway.close();
      await client.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await Promise.all((options.services ?? ["streamer", "validator", "executor"]).map(start));
  return cell;
}

function gatewayRoute(url: string) {
  return { family: "responses", baseUrl: url, models: ["replay/**"], reportCovers: "pattern" };
}

async function started(child: ChildProcess, service: ServiceName): Promise<void> {
  let seen = "";
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      seen += chunk.toString("utf8");
      if (seen.includes('"service_started"')) resolve();
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.once("exit", (code) => reject(new Error(`${service} ended with ${code} at its start: ${seen}`)));
  });
}

/** Node's own folder, where the sandbox shows no other Node anyway. */
function toolchains(): string {
  const shown = ["/usr/bin/node", "/usr/local/bin/node"].some((file) => existsSync(file));
  return shown ? "" : path.dirname(path.dirname(process.execPath));
}
