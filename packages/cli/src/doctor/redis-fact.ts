import { AirlockError } from "@airlock/core/fault";
import type { Redis } from "@airlock/core/store";
import { z } from "zod";
import { connectOrRefuse } from "../client/index.ts";
import { listPools } from "../document/index.ts";
import type { RedisFact } from "./facts.ts";

export async function redisFact(url: string | null): Promise<RedisFact> {
  if (url === null) return { kind: "unnamed" };
  const place = new URL(url).host;
  try {
    const redis = await connectOrRefuse(url);
    try {
      return { kind: "answers", place, ...(await serverFacts(redis)), pools: await livePools(redis) };
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

async function serverFacts(redis: Redis) {
  const info = await redis.info("server");
  return {
    version: /^(?:valkey|redis)_version:(.*)$/m.exec(info)?.[1]?.trim() ?? "unknown",
    appendonly: await setting(redis, "appendonly"),
    appendfsync: await setting(redis, "appendfsync"),
    maxmemoryPolicy: await setting(redis, "maxmemory-policy"),
  };
}

/** Null where the server forbids CONFIG, as hosted ones do. */
async function setting(redis: Redis, name: string): Promise<string | null> {
  try {
    const answer: unknown = await redis.config("GET", name);
    // RESP3 answers with a map, RESP2 with a flat list
    const values = z
      .union([z.tuple([z.string(), z.string()]), z.record(z.string(), z.string())])
      .parse(answer);
    const value = Array.isArray(values) ? values[1] : values[name];
    return value ?? null;
  } catch {
    return null;
  }
}
