// Options in, everything that is to be started out; whatever can be refused is refused here, before the first process.
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { SERVICES, withRedisPassword, type ServiceName, type SettingName } from "@airlock/core/runtime";
import { cliConfig, type Environment } from "../config.ts";
import { firstClosedFolder, prepareDataFolder } from "./data-folder.ts";
import { dataPaths, volumeOf, type DataPaths } from "./data-paths.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { gatewayProgram, serviceProgram, toolchainsOf } from "./programs.ts";
import { redisProgram } from "./redis-program.ts";
import { prepareRoutes } from "./routes-file.ts";
import type { Program } from "./supervise.ts";
import { toolsPlace } from "./tools-place.ts";
import { prepareUsers } from "./users-file.ts";
import { claimData, ownIdentity, removeUpRecord, type UpRecord } from "./up-record.ts";

export interface PlanOptions {
  readonly data: string;
  /** folder of fixtures that a replay gateway serves, or null for none */
  readonly gateway: string | null;
  /** the first of seven consecutive ports, or null for free ones */
  readonly port: number | null;
  /** absolute paths and URLs that runs may work on */
  readonly sources: readonly string[];
  readonly environment: Environment;
  /** relative paths of the environment are seen from here */
  readonly folder: string;
}

export interface Plan {
  readonly paths: DataPaths;
  readonly ports: Ports;
  readonly record: UpRecord;
  readonly programs: readonly Program[];
  readonly environment: Environment;
}

/** The folder is this process's from here on. */
export async function planLocal(options: PlanOptions): Promise<Plan> {
  const { data, environment, folder } = options;
  const config = cliConfig(environment);
  const root = process.geteuid?.() === 0;
  const paths = dataPaths(data);
  const up = ownIdentity();
  prepareDataFolder(paths, root);
  const volume = volumeOf(paths, { environment, folder });
  if (root) assertPassable(path.dirname(volume));
  const redis = { url: withRedisPassword(config).redisUrl, embedded: environment["REDIS_URL"] === undefined };
  const claim = { version: 1, up, redis, gateway: null, ports: {}, volume, processes: [] } as const;
  await claimData(data, claim);
  try {
    return await fillPlan(options, paths, claim);
  } catch (error) {
    removeUpRecord(data);
    throw error;
  }
}

async function fillPlan(options: PlanOptions, paths: DataPaths, claim: UpRecord): Promise<Plan> {
  const { environment, gateway } = options;
  const ports = await choosePorts(options.port);
  if (environment["AIRLOCK_USERS"] === undefined) await prepareUsers(paths);
  const redis = claim.redis.embedded
    ? redisProgram(paths, { port: ports.redis, searchPath: environment["PATH"] ?? "" })
    : null;
  const gatewayUrl = gateway === null ? null : `http://127.0.0.1:${ports.gateway}`;
  const urlOf = (user: ServiceName | "client"): string => redis?.urlOf(user) ?? claim.redis.url;
  const settings = {
    ...sharedSettings(options, gatewayUrl),
    redisPasswordFile: "", // it is in the address
    volume: claim.volume,
    consolePort: String(ports.pages),
  };
  const place = { paths, parent: environment };
  return {
    paths,
    ports,
    environment,
    record: { ...claim, redis: { ...claim.redis, url: urlOf("client") }, gateway: gatewayUrl, ports },
    programs: [
      ...(redis === null ? [] : [redis.program]),
      ...(gateway === null ? [] : [gatewayProgram({ folder: gateway, port: ports.gateway }, place)]),
      ...SERVICES.map((service) => {
        const health = { healthHost: "127.0.0.1", healthPort: String(ports[service]) };
        const own = { redisUrl: urlOf(service), keyring: paths.keyring(service) };
        return serviceProgram(service, { ...settings, ...health, ...own }, place);
      }),
    ],
  };
}

type Settings = Readonly<Partial<Record<SettingName, string>>>;

function sharedSettings(options: PlanOptions, gatewayUrl: string | null): Settings {
  const { data, environment, folder } = options;
  const config = cliConfig(environment);
  return {
    routes: prepareRoutes({ data, environment, folder }, gatewayUrl),
    policies: path.resolve(folder, config.policies),
    tools: toolsPlace(folder, config),
    users: path.resolve(folder, environment["AIRLOCK_USERS"] ?? dataPaths(data).users),
    approverKeyring: dataPaths(data).keyring("approver"),
    repositories: config.repositories === "" ? "" : path.resolve(folder, config.repositories),
    sources: options.sources.join(","),
    toolchains: toolchainsOf(environment).join(","),
  };
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
