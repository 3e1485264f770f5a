import { AirlockError } from "@airlock/core/fault";
import type { Redis } from "@airlock/core/store";
import { z } from "zod";

/** What a server says of itself; a setting that it does not tell is null. */
export interface ServerFacts {
  /** Changes when another server answers, or this one starts again: what was acknowledged before may be gone. */
  readonly epoch: string;
  readonly appendonly: string | null;
  readonly appendfsync: string | null;
  readonly maxmemoryPolicy: string | null;
  /** The server knows WAITAOF. */
  readonly waitaof: boolean;
}

/** Four commands in one round trip. Throws where Redis doesn't answer, or says neither run_id nor replication id. */
export async function readServerFacts(redis: Redis): Promise<ServerFacts> {
  const [server, replication, persistence, memory] = await Promise.all([
    redis.info("server"),
    redis.info("replication"),
    settings(redis, "append*"),
    settings(redis, "maxmemory-policy"),
  ]);
  const runId = field(server, "run_id");
  const replicationId = field(replication, "master_replid");
  if (runId === null || replicationId === null)
    throw new AirlockError("REDIS_UNAVAILABLE", "it does not tell its run_id and master_replid; allow INFO");
  return {
    epoch: `${runId}:${replicationId}`,
    appendonly: persistence["appendonly"] ?? null,
    appendfsync: persistence["appendfsync"] ?? null,
    maxmemoryPolicy: memory["maxmemory-policy"] ?? null,
    waitaof: knowsWaitaof(server),
  };
}

/** Redis 7.2 and later; every Valkey does, and says so in a version of its own. */
function knowsWaitaof(info: string): boolean {
  const [major = 0, minor = 0] = (field(info, "redis_version") ?? "").split(".").map(Number);
  return major > 7 || (major === 7 && minor >= 2);
}

function field(info: string, name: string): string | null {
  const line = info.split("\r\n").find((text) => text.startsWith(`${name}:`));
  return line === undefined ? null : line.slice(name.length + 1);
}

const told = z.union([z.array(z.string()), z.record(z.string(), z.string())]);

/** Hosted servers forbid CONFIG: then nothing is known. RESP3 answers with a map, RESP2 with a flat list. */
async function settings(redis: Redis, pattern: string): Promise<Readonly<Record<string, string>>> {
  try {
    const answer = told.parse(await redis.config("GET", pattern));
    if (!Array.isArray(answer)) return answer;
    const pairs = answer.flatMap((name, at) => (at % 2 === 0 ? [[name, answer[at + 1] ?? ""]] : []));
    return z.record(z.string(), z.string()).parse(Object.fromEntries(pairs));
  } catch {
    return {};
  }
}
