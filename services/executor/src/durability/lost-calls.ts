import { executionBodySchema, parseBody, type ExecutionBody } from "@airlock/core/contract";
import type { KnownStart, Ledger } from "@airlock/core/ledger";
import { signedRecordSchema, verifyRecord, type Keyring } from "@airlock/core/record";
import { runKeys, type Redis } from "@airlock/core/store";

export interface LostCallsDeps {
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly ledger: Ledger;
  readonly pool: string;
}

/**
 * The granted calls with effects that executors, whose logs are lost together with a part of Redis, may have begun:
 * nobody can tell which of them, so all are. Looks through every key, which only such a loss is worth.
 */
export async function findLostCalls(
  deps: LostCallsDeps,
  lost: { readonly owners: readonly string[]; readonly fence: number },
): Promise<readonly ({ readonly itemKey: string } & KnownStart)[]> {
  const found: ({ readonly itemKey: string } & KnownStart)[] = [];
  for await (const grant of grantsOf(deps)) {
    if (grant.pool !== deps.pool || grant.effect === "read") continue;
    const entry = await deps.ledger.read(grant.itemKey);
    const state = entry?.state ?? "POLICY_APPROVED";
    if (state !== "POLICY_APPROVED" && state !== "CLAIMED") continue;
    // the claim of an executor whose log is there: that log knows whether it began
    if (state === "CLAIMED" && entry !== null && !lost.owners.includes(entry.owner)) continue;
    const { itemKey, grant: number, argumentsDigest: digest, tool, effect } = grant;
    const fence = Math.max(lost.fence, entry?.fence ?? 0) + 1;
    found.push({ itemKey, fence, grant: number, digest, tool, effect, owner: lost.owners[0] ?? "" });
  }
  return found;
}

/** The grants of all calls that have one and are not settled. */
async function* grantsOf({ redis, keyring }: LostCallsDeps): AsyncGenerator<ExecutionBody> {
  const pattern = runKeys("*").call("*");
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1_000);
    cursor = next;
    for (const key of keys) {
      const [record, settled] = await redis.hmget(key, "grantRecord", "settled");
      if (typeof record !== "string" || typeof settled === "string") continue;
      const grant = grantIn(keyring, record);
      if (grant !== null) yield grant;
    }
  } while (cursor !== "0");
}

/** Null for what no validator signed: nobody could have begun that. */
function grantIn(keyring: Keyring, record: string): ExecutionBody | null {
  try {
    const signed = signedRecordSchema.parse(JSON.parse(record));
    return parseBody(executionBodySchema, verifyRecord(keyring, "execution", signed));
  } catch {
    return null;
  }
}
