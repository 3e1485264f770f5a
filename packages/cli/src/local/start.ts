// Options in, everything of Airlock running on this machine out: Redis, gateway, services, in that order.
// Refuses a folder that another `airlock up` serves, taken ports, and missing programs.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import { SERVICES, type SettingName } from "@airlock/core/runtime";
import { connectRedis, type Redis } from "@airlock/core/store";
import { cliConfig, type Environment } from "../config.ts";
import { firstClosedFolder, prepareDataFolder } from "./data-folder.ts";
import { dataPaths, type DataPaths } from "./data-paths.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { identify } from "./process-identity.ts";
import { gatewayProgram, nodeToolchain, serviceProgram } from "./programs.ts";
import { askGateway, askReady, type Readiness } from "./readiness.ts";
import { redisProgram } from "./redis-program.ts";
import { prepareRoutes } from "./routes-file.ts";
import { supervise, type ProcessEvent, type ProcessState, type Program, type Supervised } from "./supervise.ts";
import { claimData, ownIdentity, removeUpRecord, writeUpRecord, type UpRecord } from "./up-record.ts";

export interface LocalOptions {
  readonly data: string;
  /** folder of fixtures that a replay gateway serves, or null for none */
  readonly gateway: string | null;
  /** the first of five consecutive ports, or null for free ones */
  readonly port: number | null;
  /** absolute paths and URLs that runs may work on */
  readonly sources: readonly string[];
  readonly environment: Environment;
  /** relative paths of the environment are seen from here */
  readonly folder: string;
  readonly onEvent: (event: ProcessEvent | { readonly type: "redis"; readonly state: "up" | "down" }) => void;
}

export interface PartStatus {
  readonly name: string;
  readonly process: ProcessState;
  readonly readiness: Readiness;
}

export interface Local {
  readonly paths: DataPaths;
  readonly volume: string;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly gatewayUrl: string | null;
  /** Aborted, with an AirlockError as its reason, when a process can't be kept running. */
  readonly failure: AbortSignal;
  status(): Promise<readonly PartStatus[]>;
  /** Resolves when every part is ready; rejects with the failure's reason, or when `signal` aborts. */
  ready(signal: AbortSignal, onWait: (status: readonly PartStatus[]) => void): Promise<void>;
  /** Ends the services, then the gateway, then Redis. */
  stop(): Promise<void>;
  kill(): void;
}

const READY_POLL_MS = 150;
const GATEWAY_GRACE_MS = 3_000;
const REDIS_GRACE_MS = 10_000;
const DRAIN_MS = 10_000;
/** on top of the time that a service itself takes to drain */
const EXTRA_GRACE_MS = 5_000;

export async function startLocal(options: LocalOptions): Promise<Local> {
  const plan = await planLocal(options);
  const { paths, ports, record, environment } = plan;
  const failure = new AbortController();
  const parts: Supervised[] = [];
  let stopping = false;
  const keepRecord = (): void => {
    const processes = parts.flatMap((part) => {
      const pid = part.pid();
      const identity = pid === null ? null : identify(part.name, pid);
      return identity === null ? [] : [identity];
    });
    writeUpRecord(options.data, { ...record, processes });
  };
  const onEvent = (event: ProcessEvent): void => {
    options.onEvent(event);
    if (event.type === "gave_up") failure.abort(gaveUp(event, paths));
  };
  for (const program of plan.programs) {
    const part = supervise(program, (event) => {
      onEvent(event);
      if (event.type === "started" && parts.length === plan.programs.length) keepRecord();
    });
    parts.push(part);
  }
  keepRecord();
  const redis = connectRedis(record.redis.url, {
    name: "airlock-up",
    onState: (state) => {
      if (!stopping) options.onEvent({ type: "redis", state });
    },
  });
  const status = (): Promise<readonly PartStatus[]> => statusOf(parts, ports, redis);
  return {
    paths,
    volume: record.volume,
    redis,
    redisUrl: record.redis.url,
    gatewayUrl: record.gateway,
    failure: failure.signal,
    status,
    ready: async (signal, onWait) => {
      await untilReady({ status, signal, failure: failure.signal, onWait });
      for (const part of parts) part.markReady();
    },
    stop: async () => {
      stopping = true;
      redis.disconnect();
      await stopInOrder(parts, Number(environment["AIRLOCK_DRAIN_MS"] ?? DRAIN_MS) + EXTRA_GRACE_MS);
      removeUpRecord(options.data);
    },
    kill: () => {
      stopping = true;
      for (const part of parts) part.kill();
      removeUpRecord(options.data);
    },
  };
}

interface Plan {
  readonly paths: DataPaths;
  readonly ports: Ports;
  readonly record: UpRecord;
  readonly programs: readonly Program[];
  readonly environment: Environment;
}

/** All that can be refused is refused here, before the first process starts. */
async function planLocal(options: LocalOptions): Promise<Plan> {
  const { data, environment, folder } = options;
  const config = cliConfig(environment);
  const root = process.geteuid?.() === 0;
  const paths = dataPaths(data);
  const up = ownIdentity();
  prepareDataFolder(paths, root);
  const volume = path.resolve(folder, environment["AIRLOCK_VOLUME"] ?? paths.volume);
  if (root) assertPassable(path.dirname(volume));
  const embedded = environment["REDIS_URL"] === undefined;
  const claim = { version: 1, up, gateway: null, ports: {}, volume, processes: [] } as const;
  await claimData(data, { ...claim, redis: { url: config.redisUrl, embedded } });
  try {
    const ports = await choosePorts(options.port);
    const redis = embedded ? redisProgram(paths, { port: ports.redis, searchPath: environment["PATH"] ?? "" }) : null;
    const gatewayUrl = options.gateway === null ? null : `http://127.0.0.1:${ports.gateway}`;
    const url = redis?.url ?? config.redisUrl;
    const place = { paths, parent: environment };
    const settings: Partial<Record<SettingName, string>> = {
      redisUrl: url,
      routes: prepareRoutes({ data, environment, folder }, gatewayUrl),
      policies: path.resolve(folder, config.policies),
      sources: options.sources.join(","),
      volume,
      ...streamerKey(environment, gatewayUrl),
      toolchains: environment["AIRLOCK_TOOLCHAINS"] ?? nodeToolchain() ?? "",
    };
    const gateway = options.gateway;
    return {
      paths,
      ports,
      environment,
      record: { ...claim, redis: { url, embedded }, gateway: gatewayUrl, ports },
      programs: [
        ...(redis === null ? [] : [redis.program]),
        ...(gateway === null ? [] : [gatewayProgram({ folder: gateway, port: ports.gateway }, place)]),
        ...SERVICES.map((service) => {
          const own = { keyring: paths.keyring(service), healthHost: "127.0.0.1", healthPort: String(ports[service]) };
          return serviceProgram(service, { ...settings, ...own }, place);
        }),
      ],
    };
  } catch (error) {
    removeUpRecord(data);
    throw error;
  }
}

/** The gateway, too, wants a key, any key: without one of CometAPI's it gets a word that opens nothing. */
function streamerKey(environment: Environment, gatewayUrl: string | null): { readonly cometapiKey?: string } {
  const missing = (environment["COMETAPI_KEY"] ?? "") === "";
  return missing && gatewayUrl !== null ? { cometapiKey: "none" } : {};
}

function assertPassable(folder: string): void {
  const closed = firstClosedFolder(folder);
  if (closed === null) return;
  throw new AirlockError(
    "WORKSPACE_UNAVAILABLE",
    `sandboxed commands of a root executor run as another user, who can't pass ${closed}; ` +
      "choose --data elsewhere (such as /var/lib/airlock), or set AIRLOCK_VOLUME",
  );
}

function gaveUp(event: Extract<ProcessEvent, { type: "gave_up" }>, paths: DataPaths): AirlockError {
  const said = event.detail === "" ? "" : `\n${event.detail}`;
  return new AirlockError(
    "CONFIG_INVALID",
    `${event.name} ended (${event.how}); its log is ${paths.log(event.name)}${said}`,
  );
}

async function statusOf(parts: readonly Supervised[], ports: Ports, redis: Redis): Promise<readonly PartStatus[]> {
  const asked = parts.map(async (part) => ({
    name: part.name,
    process: part.state(),
    readiness: await readinessOf(part.name, ports, redis),
  }));
  return Promise.all(asked);
}

async function readinessOf(name: string, ports: Ports, redis: Redis): Promise<Readiness> {
  if (name === "redis") return { status: redis.status === "ready" ? "ready" : "silent" };
  if (name === "gateway") return askGateway(ports.gateway);
  const service = SERVICES.find((known) => known === name);
  return service === undefined ? { status: "silent" } : askReady(ports[service]);
}

async function untilReady(wait: {
  readonly status: () => Promise<readonly PartStatus[]>;
  readonly signal: AbortSignal;
  readonly failure: AbortSignal;
  readonly onWait: (status: readonly PartStatus[]) => void;
}): Promise<void> {
  for (;;) {
    wait.failure.throwIfAborted();
    wait.signal.throwIfAborted();
    const status = await wait.status();
    if (status.every(({ readiness }) => readiness.status === "ready")) return;
    wait.onWait(status);
    await sleep(READY_POLL_MS);
  }
}

async function stopInOrder(parts: readonly Supervised[], serviceGraceMs: number): Promise<void> {
  const services = parts.filter(({ name }) => SERVICES.some((known) => known === name));
  await Promise.all(services.map((part) => part.stop(serviceGraceMs)));
  await parts.find(({ name }) => name === "gateway")?.stop(GATEWAY_GRACE_MS);
  await parts.find(({ name }) => name === "redis")?.stop(REDIS_GRACE_MS);
}
