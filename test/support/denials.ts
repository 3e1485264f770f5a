import type { Redis } from "@airlock/core/store";
import { z } from "zod";

const entrySchema = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()).transform(fromPairs)]);

/** What Redis' `ACL LOG` tells: of each denial who, where, why and what. None where a test has ended its Redis. */
export async function denials(redis: Redis): Promise<readonly string[]> {
  const entries = redis.status === "ready" ? await redis.call("ACL", "LOG", "100") : [];
  return z
    .array(entrySchema)
    .parse(entries)
    .map((entry) => ["username", "context", "reason", "object"].map((name) => String(entry[name])).join(" "));
}

function fromPairs(flat: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), flat[at + 1]]] : [])));
}
