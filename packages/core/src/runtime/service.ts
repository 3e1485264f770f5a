import { AirlockError, namesOf } from "../fault/index.ts";
import type { Keyring } from "../record/index.ts";
import { connectRedis, type Redis } from "../store/index.ts";
import { queueName, QUEUES, type Consumer, type ConsumeEvent, type ConsumeOptions } from "../queue/index.ts";
import { checkConfig, loadConfig, type Config } from "./config.ts";
import { forbidCoreDumps, refuseDumpOptions, tellCrashes } from "./crash.ts";
import { loadKeyring, withRedisPassword } from "./files.ts";
import { serveHealth, type ReadyCheck } from "./health.ts";
import { createLog, errorFields, type Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { ServiceName } from "./setting.ts";

const SHARED = [
  "redisUrl",
  "redisPasswordFile",
  "keyring",
  "healthHost",
  "healthPort",
  "logLevel",
  "toolCategories",
  "concurrency",
  "lockMs",
  "stalledMs",
  "drainMs",
] as const;
export type SharedConfig = Config<(typeof SHARED)[number]>;

/** What every service is handed. */
export interface ServiceContext {
  readonly config: SharedConfig;
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly log: Log;
  readonly metrics: Metrics;
  /** aborted when the service stops */
  readonly signal: AbortSignal;
  /** the options that all consumers of this process share */
  readonly consumeOptions: (pool: string) => ConsumeOptions;
}

/** What a service hands back once it runs. */
export interface RunningService {
  readonly consumers: readonly Consumer[];
  readonly checks?: readonly ReadyCheck[];
  /** is told, before the consumers close, that no further work is taken */
  drain?(): void;
  /** runs after the consumers have closed */
  close(): Promise<void>;
}

/**
 * The life of a service process: configuration, keys, Redis, health, then `start`; on SIGTERM or SIGINT it stops taking
 * work, drains, and closes. Unusable configuration ends it with one message and exit code 2.
 */
export async function runService(
  name: ServiceName,
  start: (context: ServiceContext) => Promise<RunningService>,
): Promise<void> {
  try {
    await serve(name, start);
  } catch (error) {
    process.stderr.write(`airlock ${name}: ${startupMessage(error)}\n`);
    process.exitCode = error instanceof AirlockError ? 2 : 1;
    process.exit();
  }
}

async function serve(
  name: ServiceName,
  start: (context: ServiceContext) => Promise<RunningService>,
): Promise<void> {
  checkConfig(name);
  refuseDumpOptions();
  const config = withRedisPassword(loadConfig(SHARED));
  const keyring = loadKeyring(config.keyring, name);
  const log = createLog({ service: name, level: config.logLevel, toolCategories: config.toolCategories });
  tellCrashes(log);
  forbidCoreDumps(log);
  const metrics = createMetrics(name);
  metrics.allow("queue", namesOf(QUEUES));
  let draining = false;
  const stop = new AbortController();
  const stopped = stopSignal();
  const redis = connectRedis(config.redisUrl, {
    name: `airlock-${name}`,
    onState: (state) =>
      log.write(state === "up" ? "info" : "warn", `redis_${state}`, { place: placeOf(config.redisUrl) }),
  });
  const onEvent = (event: ConsumeEvent): void => tell(event, { log, metrics });
  const consumeOptions = (pool: string): ConsumeOptions => {
    const { concurrency, lockMs, stalledMs } = config;
    if (pool !== "") metrics.allow("queue", [queueName("executions", pool)]);
    return { pool, concurrency, lockMs, stalledMs, onEvent };
  };
  const service = await start({ config, redis, keyring, log, metrics, signal: stop.signal, consumeOptions });
  const health = await serveHealth({
    host: config.healthHost,
    port: config.healthPort,
    checks: [
      () => ({ name: "serving", ok: !draining }),
      redisCheck(redis, service.consumers),
      ...(service.checks ?? []),
    ],
    metrics: () => metrics.text(),
  });
  log.write("info", "service_started", { port: health.port });
  await stopped;
  draining = true;
  log.write("info", "service_stopping");
  service.drain?.();
  await Promise.all(service.consumers.map((consumer) => consumer.close(config.drainMs)));
  stop.abort();
  await service.close();
  await health.close();
  redis.disconnect();
  log.write("info", "service_stopped");
}

function redisCheck(redis: Redis, consumers: readonly Consumer[]): ReadyCheck {
  return () => {
    const ok = redis.status === "ready" && consumers.every((consumer) => consumer.ready());
    return { name: "redis", ok };
  };
}

function tell(event: ConsumeEvent, { log, metrics }: { readonly log: Log; readonly metrics: Metrics }): void {
  const { queue } = event;
  switch (event.type) {
    case "handled":
      return metrics.count("airlock_jobs_handled_total", { queue });
    case "record_refused":
      metrics.count("airlock_records_refused_total", { queue });
      return log.write("warn", "record_refused", { queue, jobId: event.jobId, ...errorFields(event.error) });
    case "handler_failed":
      metrics.count("airlock_jobs_failed_total", { queue });
      return log.write("error", "handler_failed", { queue, jobId: event.jobId, ...errorFields(event.error) });
  }
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

function startupMessage(error: unknown): string {
  if (error instanceof AirlockError) return error.message;
  // others may quote what they choked on, such as a file of keys
  const { errorName = "", place = "" } = errorFields(error);
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `${errorName}${code} ${place}`;
}

/** Host and port only: the URL may hold a password. */
function placeOf(url: string): string {
  return new URL(url).host;
}
