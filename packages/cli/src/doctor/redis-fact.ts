import { AirlockError } from "@airlock/core/fault";
import type { Redis } from "@airlock/core/store";
import { promiseOf, readServerFacts } from "@airlock/executor";
import { connectOrRefuse } from "../session/index.ts";
import type { CliConfig } from "../config.ts";
import { listPools } from "@airlock/operator/document";
import type { RedisFact } from "./facts.ts";

/** What the server at `url` is, and whether it keeps what executors of these settings have to rely on. */
export async function redisFact(
  url: string | null,
  { durability: mode, barrierReplicas: replicas }: Pick<CliConfig, "durability" | "barrierReplicas">,
): Promise<RedisFact> {
  if (url === null) return { kind: "unnamed" };
  const place = new URL(url).host;
  try {
    const redis = await connectOrRefuse(url);
    try {
      const version = versionOf(await redis.info("server"));
      const keeps = promiseOf(await readServerFacts(redis), { mode, replicas });
      const pools = await livePools(redis);
      return { kind: "answers", place, version, keeps, relaxed: mode === "relaxed", pools };
    } finally {
      redis.disconnect();
    }
  } catch (error) {
    if (!(error instanceof AirlockError)) throw error;
    return { kind: "silent", place, detail: error.message };
  }
}

async function livePools(redis: Redis) {
  const pools = (await listPools(redis)).map(({ name, runs, executors }) => ({
    name,
    runs,
    live: executors.filter(({ state }) => state === "live").length,
  }));
  return pools.filter(({ live }) => live > 0);
}

function versionOf(info: string): string {
  return /^(?:valkey|redis)_version:(.*)$/m.exec(info)?.[1]?.trim() ?? "unknown";
}
