import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { ROLES } from "@airlock/core/record";
import {
  coreDumpsForbidden,
  loadPolicyProfiles,
  loadRepositories,
  loadRoutes,
  loadTools,
} from "@airlock/core/runtime";
import { readKeySet } from "../keys/index.ts";
import { redisUrlFor } from "../session/index.ts";
import { cliConfig, type CliConfig, type Environment } from "../config.ts";
import { dataPaths, findProgram, REDIS_PROGRAMS, routesFile, toolsPlace } from "../local/index.ts";
import type { Facts, Outcome } from "./facts.ts";
import { redisFact } from "./redis-fact.ts";
import { firstLine, trySandbox } from "./try-sandbox.ts";

export interface Machine {
  readonly environment: Environment;
  readonly folder: string;
  readonly data: string | undefined;
}

/** Looks at this machine and changes nothing on it. */
export async function gatherFacts(machine: Machine): Promise<Facts> {
  const { environment, folder } = machine;
  const searchPath = environment["PATH"] ?? "";
  const settings = settingsOutcome(environment);
  const config = settings.ok ? cliConfig(environment) : cliConfig(withoutOurs(environment));
  const data = path.resolve(folder, machine.data ?? config.data);
  return {
    nodeVersion: process.version,
    platform: process.platform,
    gitVersion: await firstLine("git", ["--version"], searchPath),
    redisProgram: findProgram(REDIS_PROGRAMS, searchPath),
    redis: await redisFact(urlOrNull(environment, config, data), config),
    flock: findProgram(["flock"], searchPath),
    coreDumps: { own: coreDumpsForbidden(), prlimit: findProgram(["prlimit"], searchPath) },
    bwrap: { path: config.bwrap, version: await firstLine(config.bwrap, ["--version"], searchPath) },
    sandbox: await trySandbox(config.bwrap, process.geteuid?.() === 0),
    userNamespaces: {
      allowed: flagOf("/proc/sys/kernel/unprivileged_userns_clone"),
      max: numberIn("/proc/sys/user/max_user_namespaces"),
      appArmorRestricts: flagOf("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === true,
    },
    keys: keysFact(data),
    apiKeySet: config.cometapiKey !== "",
    settings,
    routes: routesOutcome(routesFile({ data, environment, folder })),
    tools: outcomeOf(() => {
      const { operatorTools } = loadTools(toolsPlace(folder, config));
      return `the built-in ones and ${operatorTools.length} of the operator's`;
    }),
    repositories: outcomeOf(() => {
      const { repositories } = config;
      if (repositories === "") return "no file";
      loadRepositories(path.resolve(folder, repositories));
      return repositories;
    }),
    policies: outcomeOf(() => {
      const { catalog } = loadTools(toolsPlace(folder, config));
      const profiles = loadPolicyProfiles(path.resolve(folder, config.policies), catalog);
      return `profiles ${[...profiles.keys()].join(", ")}`;
    }),
  };
}

/** With an unusable setting, the rest is judged by the defaults; only REDIS_URL is kept where it is a URL. */
function withoutOurs({ REDIS_URL: url }: Environment): Environment {
  return url !== undefined && URL.canParse(url) ? { REDIS_URL: url } : {};
}

function urlOrNull(environment: Environment, config: CliConfig, data: string): string | null {
  try {
    return redisUrlFor({ environment, config, data });
  } catch (error) {
    if (error instanceof AirlockError) return null; // nothing names a Redis, which is a finding of its own
    throw error;
  }
}

function settingsOutcome(environment: Environment): Outcome {
  return outcomeOf(() => {
    cliConfig(environment);
    return "every AIRLOCK_ variable is known";
  });
}

function routesOutcome(file: string): Outcome {
  if (!existsSync(file)) return { ok: true, detail: "no file yet; `airlock up` writes one" };
  return outcomeOf(() => `routes ${[...loadRoutes(file).keys()].join(", ")} in ${file}`);
}

function keysFact(data: string): Facts["keys"] {
  const { keyring } = dataPaths(data);
  if (ROLES.every((role) => !existsSync(keyring(role)))) return { kind: "absent" };
  const { ok, detail } = outcomeOf(() => {
    readKeySet(keyring);
    return "";
  });
  return ok ? { kind: "usable" } : { kind: "unusable", detail };
}

function outcomeOf(load: () => string): Outcome {
  try {
    return { ok: true, detail: load() };
  } catch (error) {
    if (error instanceof AirlockError) return { ok: false, detail: error.message };
    throw error;
  }
}

function numberIn(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return null; // this kernel has no such switch
  }
}

function flagOf(file: string): boolean | null {
  const value = numberIn(file);
  return value === null ? null : value !== 0;
}
