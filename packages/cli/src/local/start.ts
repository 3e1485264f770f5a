// Options in, everything of Airlock running on this machine out: Redis, gateway, services, in that order.
// Refuses a folder that another `airlock up` serves, taken ports, and missing programs.
import { AirlockError } from "@airlock/core/fault";
import { SERVICES, SETTINGS } from "@airlock/core/runtime";
import { connectRedis, type Redis } from "@airlock/core/store";
import type { Environment } from "../config.ts";
import type { DataPaths } from "./data-paths.ts";
import { statusOf, untilReady, type PartStatus } from "./part-status.ts";
import { planLocal, type PlanOptions } from "./plan.ts";
import { identify } from "./process-identity.ts";
import { supervise, type ProcessEvent, type Program, type Supervised } from "./supervise.ts";
import { removeUpRecord, writeUpRecord, type UpRecord } from "./up-record.ts";

export type LocalEvent = ProcessEvent | { readonly type: "redis"; readonly state: "up" | "down" };

export interface LocalOptions extends PlanOptions {
  readonly onEvent: (event: LocalEvent) => void;
}

export interface Local {
  readonly paths: DataPaths;
  readonly volume: string;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly gatewayUrl: string | null;
  readonly consoleUrl: string;
  /** Aborted, with an AirlockError as its reason, when a process can't be kept running. */
  readonly failure: AbortSignal;
  status(): Promise<readonly PartStatus[]>;
  /** Resolves when every part is ready; rejects with the failure's reason, or when `signal` aborts. */
  ready(signal: AbortSignal, onWait: (status: readonly PartStatus[]) => void): Promise<void>;
  /** Ends the services, then the gateway, then Redis. */
  stop(): Promise<void>;
}

const GATEWAY_GRACE_MS = 3_000;
const REDIS_GRACE_MS = 10_000;
/** on top of the time that a service itself takes to drain */
const EXTRA_GRACE_MS = 5_000;

export async function startLocal(options: LocalOptions): Promise<Local> {
  const { paths, ports, record, programs, environment } = await planLocal(options);
  const failure = new AbortController();
  let told = false; // outages are news from the first readiness until the end
  const parts = superviseAll(programs, options.data, {
    record,
    onEvent: (event) => {
      options.onEvent(event);
      if (event.type === "gave_up") failure.abort(gaveUp(event, paths));
    },
  });
  const kill = (): void => {
    for (const part of parts) part.kill();
    removeUpRecord(options.data);
  };
  process.once("exit", kill); // nothing outlives this process, however it ends, but for SIGKILL
  const redis = connectRedis(record.redis.url, {
    name: "airlock-up",
    onState: (state) => {
      if (told) options.onEvent({ type: "redis", state });
    },
  });
  const status = (): Promise<readonly PartStatus[]> => statusOf(parts, ports, redis);
  return {
    paths,
    volume: record.volume,
    redis,
    redisUrl: record.redis.url,
    gatewayUrl: record.gateway,
    consoleUrl: `http://127.0.0.1:${ports.pages}`,
    failure: failure.signal,
    status,
    ready: async (signal, onWait) => {
      await untilReady({ status, signal, failure: failure.signal, onWait });
      for (const part of parts) part.markReady();
      told = true;
    },
    stop: async () => {
      told = false;
      redis.disconnect();
      await stopInOrder(parts, drainMs(environment) + EXTRA_GRACE_MS);
      removeUpRecord(options.data);
      process.off("exit", kill);
    },
  };
}

/** Starts all, and keeps `up.json` true about which process is which, so that a later start can end what is left. */
function superviseAll(
  programs: readonly Program[],
  data: string,
  keep: { readonly record: UpRecord; readonly onEvent: (event: ProcessEvent) => void },
): readonly Supervised[] {
  const parts: Supervised[] = [];
  const write = (): void => {
    const processes = parts.flatMap((part) => {
      const pid = part.pid();
      const identity = pid === null ? null : identify(part.name, pid);
      return identity === null ? [] : [identity];
    });
    writeUpRecord(data, { ...keep.record, processes });
  };
  for (const program of programs) {
    const part = supervise(program, (event) => {
      keep.onEvent(event);
      if (event.type === "started" && parts.length === programs.length) write();
    });
    parts.push(part);
  }
  write();
  return parts;
}

function gaveUp(event: Extract<ProcessEvent, { type: "gave_up" }>, paths: DataPaths): AirlockError {
  const said = event.detail === "" ? "" : `\n${event.detail}`;
  return new AirlockError(
    "CONFIG_INVALID",
    `${event.name} ended (${event.how}); its log is ${paths.log(event.name)}${said}`,
  );
}

function drainMs(environment: Environment): number {
  const { env, fallback } = SETTINGS.drainMs;
  return Number(environment[env] ?? fallback);
}

async function stopInOrder(parts: readonly Supervised[], serviceGraceMs: number): Promise<void> {
  const services = parts.filter(({ name }) => SERVICES.some((known) => known === name));
  await Promise.all(services.map((part) => part.stop(serviceGraceMs)));
  await parts.find(({ name }) => name === "gateway")?.stop(GATEWAY_GRACE_MS);
  await parts.find(({ name }) => name === "redis")?.stop(REDIS_GRACE_MS);
}
