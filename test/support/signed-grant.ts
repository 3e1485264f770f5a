import type { ExecutionBody } from "@airlock/core/contract";
import { signRecord } from "@airlock/core/record";
import { DIGEST, KEYRINGS, type TestCall } from "./durable-executor.ts";

/** What the validator keeps in a call's record once it is granted. */
export function signedGrant({ run, itemKey, now, effect = "mutating" }: TestCall): string {
  const body: ExecutionBody = {
    version: 1,
    run,
    itemKey,
    grant: 1,
    tool: "write_file",
    manifestDigest: DIGEST,
    effect,
    argumentsDigest: DIGEST,
    policy: "test",
    policyDigest: DIGEST,
    workspace: { source: "/srv/repository", ref: "main" },
    pool: "default",
    expiresAt: now + 60_000,
    notAfter: now + 600_000,
  };
  return JSON.stringify(signRecord(KEYRINGS.validator, "execution", JSON.stringify(body)));
}
