// An environment and a data folder in, a connection with the client's keys out.
// Refuses where no Redis is named or answers, and where the keys are missing.
import { userInfo } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { Keyring } from "@airlock/core/record";
import { loadKeyring, withRedisPassword } from "@airlock/core/runtime";
import { connectRedis, type Redis } from "@airlock/core/store";
import type { CliConfig, Environment } from "../config.ts";
import { dataPaths, readUpRecord } from "../local/index.ts";

export interface Session {
  readonly redis: Redis;
  readonly keyring: Keyring;
  /** who acts: the user of the operating system, where nobody else is named */
  readonly by: string;
  close(): void;
}

const ANSWER_MS = 5_000;

/** REDIS_URL where it is set, else the Redis of the `airlock up` that serves the data folder. */
export function redisUrlFor(place: {
  readonly environment: Environment;
  readonly config: Pick<CliConfig, "redisUrl" | "redisPasswordFile">;
  readonly data: string;
}): string {
  if (place.environment["REDIS_URL"] !== undefined) return withRedisPassword(place.config).redisUrl;
  const record = readUpRecord(place.data);
  if (record !== null) return record.redis.url;
  throw new AirlockError(
    "REDIS_UNAVAILABLE",
    `no \`airlock up\` serves ${place.data}; start it, name its folder with --data, or set REDIS_URL`,
  );
}

export async function openSession(place: {
  readonly url: string;
  readonly data: string;
  readonly onState?: (state: "up" | "down") => void;
}): Promise<Session> {
  const keyring = loadKeyring(dataPaths(place.data).keyring("client"), "client");
  const redis = await connectOrRefuse(place.url, place.onState ?? (() => undefined));
  return { redis, keyring, by: userInfo().username, close: () => redis.disconnect() };
}

/** A first answer within a few seconds, or REDIS_UNAVAILABLE; after that, outages are waited for. */
export async function connectOrRefuse(
  url: string,
  onState: (state: "up" | "down") => void = () => undefined,
): Promise<Redis> {
  let problem = "no answer";
  const redis = connectRedis(url, { name: "airlock-cli", onState });
  redis.on("error", (error: Error) => {
    problem = error.message;
  });
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_MS);
  const late = new Promise<"late">((resolve) => {
    timeout.signal.addEventListener("abort", () => resolve("late"), { once: true });
  });
  const answer = await Promise.race([redis.ping().catch(() => "late" as const), late]);
  clearTimeout(timer);
  if (answer !== "late") return redis;
  redis.disconnect();
  throw new AirlockError("REDIS_UNAVAILABLE", `${problem || "no answer"} (${new URL(url).host})`);
}

/** The folder that a command works on: --data, else AIRLOCK_DATA. */
export function dataFolder(folder: string, config: CliConfig, flag: string | undefined): string {
  return path.resolve(folder, flag ?? config.data);
}
