import type { Redis } from "@airlock/core/store";
import { z } from "zod";

/** Whether Redis keeps what it acknowledged. Asked again for each call with effects: the server may have changed. */
export type Durability = () => Promise<{ readonly holds: boolean; readonly detail: string }>;

const settings = z.object({ appendonly: z.string(), appendfsync: z.string() });

/** Holds where every write is on disk before its answer, or where the operator accepted less. */
export function createDurability(redis: Redis, mode: "strict" | "relaxed"): Durability {
  return async () => {
    if (mode === "relaxed") return { holds: true, detail: "the operator set AIRLOCK_DURABILITY=relaxed" };
    const [appendonly, appendfsync] = await Promise.all([
      redis.config("GET", "appendonly"),
      redis.config("GET", "appendfsync"),
    ]);
    const parsed = settings.safeParse({ ...record(appendonly), ...record(appendfsync) });
    if (!parsed.success) return { holds: false, detail: "Redis does not tell its append-only settings" };
    const holds = parsed.data.appendonly === "yes" && parsed.data.appendfsync === "always";
    return { holds, detail: `appendonly ${parsed.data.appendonly}, appendfsync ${parsed.data.appendfsync}` };
  };
}

/** RESP3 answers with a map, RESP2 with a flat list. */
function record(answer: unknown): Readonly<Record<string, unknown>> {
  if (!Array.isArray(answer)) return { ...(typeof answer === "object" ? answer : {}) };
  const list: readonly unknown[] = answer;
  return typeof list[0] === "string" ? { [list[0]]: list[1] } : {};
}
