// What a server is, in; how a begun call is kept before it runs, out; a server that may forget is refused.
import type { ServerFacts } from "./server-facts.ts";

/** How what Redis acknowledged is kept. */
export type Promised =
  /** `wait`: WAITAOF is asked after begin; null: the answer to begin already says it. */
  | { readonly holds: true; readonly wait: { readonly replicas: number } | null; readonly detail: string }
  | { readonly holds: false; readonly detail: string };

export function promiseOf(
  facts: ServerFacts,
  asked: { readonly mode: "strict" | "relaxed"; readonly replicas: number },
): Promised {
  if (asked.mode === "relaxed") {
    return { holds: true, wait: null, detail: "AIRLOCK_DURABILITY=relaxed: nothing is waited for" };
  }
  const { appendonly, appendfsync, maxmemoryPolicy, waitaof } = facts;
  if (maxmemoryPolicy !== "noeviction") {
    return short(`maxmemory-policy is ${told(maxmemoryPolicy)}; set it to noeviction`);
  }
  if (appendonly !== "yes") return short(`appendonly is ${told(appendonly)}; set it to yes`);
  if (appendfsync === "always" && asked.replicas === 0) {
    return { holds: true, wait: null, detail: "appendfsync always" };
  }
  if (!waitaof) {
    return short(
      asked.replicas === 0
        ? `appendfsync is ${told(appendfsync)}, and this Redis has no WAITAOF; set it to always, or use Redis 7.2`
        : "AIRLOCK_BARRIER_REPLICAS needs WAITAOF: use Redis 7.2",
    );
  }
  const { replicas } = asked;
  return {
    holds: true,
    wait: { replicas },
    detail: `appendfsync ${told(appendfsync)}, WAITAOF 1 ${replicas}`,
  };
}

function short(detail: string): Promised {
  return { holds: false, detail };
}

function told(value: string | null): string {
  return value ?? "not told by the server";
}
