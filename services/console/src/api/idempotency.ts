// A caller's key and the body that came with it in, the one run id that belongs to both out; refuses the key with another body.
import { newRunId, sha256Hex } from "@airlock/core/record";
import { globalKeys, type Redis } from "@airlock/core/store";
import { z } from "zod";
import { ApiRefusal } from "./problem.ts";

const KEPT_MS = 86_400_000;

const reservation = z.strictObject({ run: z.string(), digest: z.string() });

/**
 * The id is reserved before anything is submitted, and a submission under an id may be repeated: whoever comes again with
 * the key finishes what a crash left, under the same id.
 */
export async function runIdFor(
  redis: Redis,
  asked: { readonly by: string; readonly key: string; readonly body: string },
): Promise<string> {
  const { by, key, body } = asked;
  const place = globalKeys.consoleIdempotency(sha256Hex(JSON.stringify([by, key])));
  const mine = { run: newRunId(), digest: sha256Hex(body) };
  const kept = await redis.set(place, JSON.stringify(mine), "PX", KEPT_MS, "NX", "GET");
  if (kept === null) return mine.run;
  const { run, digest } = reservation.parse(JSON.parse(kept));
  if (digest !== mine.digest) throw new ApiRefusal("IDEMPOTENCY_CONFLICT");
  return run;
}
