import { z } from "zod";
import { fieldsOf, runScript, type Redis } from "../store/index.ts";
import { CLAIM } from "./claim-script.ts";
import { entryKeys, keysOf, told, toldOf, type RunOnEntry } from "./entry-place.ts";
import { ledgerEntrySchema } from "./entry.ts";
import { BEGIN, LEAVE, RENEW } from "./fenced-scripts.ts";
import { concluded, givenBack, keptBy, leavingArguments, type Leaving } from "./leaving.ts";
import type { ClaimAnswer, ClaimRequest, Ledger } from "./ledger.ts";
import { unknownCalls } from "./redis-unknown.ts";
import { LEDGER_KEEP_MS } from "./standing.ts";
import { listUnknown } from "./unknowns.ts";

const claimReply = z.tuple([
  z.enum([
    "claimed",
    "held",
    "settled",
    "unknown",
    "lost_start",
    "grant_expired",
    "no_call",
    "superseded",
    "key_reused",
    "too_old",
    "other_approval",
    "approval_spent",
  ]),
  z.number(),
  z.number(),
]);

/** The ledger over a run's keys: each method is one script, so that two executors can't both win. */
export function createLedger(redis: Redis, keepMs = LEDGER_KEEP_MS): Ledger {
  const run: RunOnEntry = (script, itemKey, args) =>
    runScript(redis, script, { keys: entryKeys(itemKey), args: [itemKey, keepMs, ...args] });
  const leave = async (itemKey: string, fence: number, leaving: Leaving): Promise<boolean> =>
    (await run(LEAVE, itemKey, leavingArguments(itemKey, fence, leaving))) === 1;
  return {
    async claim(request) {
      const answer = await claim(run, request);
      if (answer.kind === "unknown" || answer.kind === "regrant") await listUnknown(redis, request.itemKey);
      return answer;
    },
    async begin(itemKey, fence, { expected, sandbox }) {
      const events = [
        toldOf(itemKey, "begin"),
        toldOf(itemKey, "cancel", { errorClass: "CANCELLED" }),
        toldOf(itemKey, "expire", { errorClass: "GRANT_EXPIRED" }),
        toldOf(itemKey, "deny", { errorClass: "WORKSPACE_STALE" }),
      ];
      const reply = await run(BEGIN, itemKey, [fence, expected ?? "", sandbox ?? "", ...events]);
      return z.enum(["started", "settled", "stale"]).parse(reply);
    },
    unbegin: (itemKey, fence) => leave(itemKey, fence, givenBack("unbegin")),
    release: (itemKey, fence) => leave(itemKey, fence, givenBack("release")),
    async end(itemKey, fence, ending) {
      const { transition, detail } = ending;
      const ended = await leave(itemKey, fence, keptBy(transition, ending, { detail }));
      if (transition === "lose") await listUnknown(redis, itemKey);
      return ended;
    },
    renew: async (itemKey, fence, leaseMs) => (await run(RENEW, itemKey, [fence, leaseMs])) === 1,
    async conclude(itemKey, fence, conclusion) {
      const done = await leave(itemKey, fence, concluded(conclusion));
      await listUnknown(redis, itemKey);
      return done;
    },
    ...unknownCalls(redis, run),
    async read(itemKey) {
      const key = keysOf(itemKey).ledger(itemKey);
      return fieldsOf(ledgerEntrySchema, key, await redis.hgetall(key));
    },
  };
}

async function claim(run: RunOnEntry, request: ClaimRequest): Promise<ClaimAnswer> {
  const { itemKey, tool, effect } = request;
  const reply = await run(CLAIM, itemKey, [
    request.owner,
    request.leaseMs,
    request.knownFence,
    request.grant,
    request.digest,
    tool,
    effect,
    request.expiresAt,
    request.notAfter,
    request.nonce ?? "",
    told(itemKey, "CLAIMED", { tool }),
    told(itemKey, "OUTCOME_UNKNOWN", { tool, errorClass: "OUTCOME_UNKNOWN" }),
    told(itemKey, "POLICY_APPROVED", { tool, errorClass: "OUTCOME_UNKNOWN" }),
    told(itemKey, "CANCELLED", { tool, errorClass: "CANCELLED" }),
    told(itemKey, "EXPIRED", { tool, errorClass: "GRANT_EXPIRED" }),
    told(itemKey, "DENIED", { tool, errorClass: "WORKSPACE_FROZEN" }),
    told(itemKey, "POLICY_APPROVED", { tool }),
  ]);
  const [kind, number, epoch] = claimReply.parse(reply);
  switch (kind) {
    case "claimed":
      return { kind, fence: number, epoch: epoch === -1 ? null : epoch };
    case "held":
      return { kind, leaseMs: number };
    case "settled":
      return { kind };
    case "unknown":
      return { kind, fence: number };
    case "lost_start":
      return { kind: "regrant", fence: number, errorClass: "OUTCOME_UNKNOWN" };
    case "grant_expired":
      return { kind: "regrant", fence: number, errorClass: "GRANT_EXPIRED" };
    case "no_call":
    case "superseded":
    case "key_reused":
    case "too_old":
    case "other_approval":
    case "approval_spent":
      return { kind: "refused", reason: kind };
  }
}
