import { z } from "zod";
import { fromStates, TRANSITIONS, type ItemState } from "../call/index.ts";
import type { RunEvent } from "../contract/index.ts";
import { AirlockError, type ErrorClass } from "../fault/index.ts";
import { parseItemKey } from "../record/index.ts";
import { eventText, fieldsOf, runKeys, runScript, type Redis } from "../store/index.ts";
import { CLAIM } from "./claim-script.ts";
import { ledgerEntrySchema, type LedgerEntry } from "./entry.ts";
import { BEGIN, END, RENEW } from "./fenced-scripts.ts";
import type { BeginAnswer, ClaimAnswer, ClaimRequest, Ending, Ledger } from "./ledger.ts";

const claimReply = z.tuple([
  z.enum(["claimed", "held", "settled", "lost_read", "grant_expired", "no_call", "superseded", "key_reused"]),
  z.number(),
]);

/** How long an entry stays after its last change, where nobody says otherwise. */
const LEDGER_KEEP_MS = 30 * 86_400_000;

/** The ledger over a run's keys: each method is one script, so that two executors can't both win. */
export function createLedger(redis: Redis, keepMs = LEDGER_KEEP_MS): Ledger {
  return {
    claim: (request) => claim(redis, request, keepMs),
    begin: (itemKey, fence) => begin(redis, itemKey, fence),
    end: (itemKey, fence, ending) => end(redis, { itemKey, fence, keepMs }, ending),
    async renew(itemKey, fence, leaseMs) {
      const keys = keysOf(itemKey);
      const input = { keys: [keys.ledger(itemKey), keys.workspace], args: [itemKey, fence, leaseMs] };
      return (await runScript(redis, RENEW, input)) === 1;
    },
    async release(itemKey, fence) {
      const input = {
        keys: endKeys(itemKey),
        args: [
          itemKey,
          fence,
          fromStates("release"),
          TRANSITIONS.release.to,
          eventText([]),
          keepMs,
          "",
          "leaseUntil",
          0,
        ],
      };
      return (await runScript(redis, END, input)) === 1;
    },
    async read(itemKey): Promise<LedgerEntry | null> {
      const key = keysOf(itemKey).ledger(itemKey);
      return fieldsOf(ledgerEntrySchema, key, await redis.hgetall(key));
    },
  };
}

async function claim(redis: Redis, request: ClaimRequest, keepMs: number): Promise<ClaimAnswer> {
  const { itemKey, tool } = request;
  const keys = keysOf(itemKey);
  const told = (state: ItemState, errorClass: ErrorClass | null): string =>
    eventText([itemEvent(itemKey, state, { tool, errorClass })]);
  const reply = await runScript(redis, CLAIM, {
    keys: [keys.ledger(itemKey), keys.call(itemKey), keys.run, keys.workspace, keys.events],
    args: [
      itemKey,
      request.owner,
      request.leaseMs,
      request.grant,
      request.digest,
      tool,
      request.effect,
      request.expiresAt,
      request.notAfter,
      told("CLAIMED", null),
      told("OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"),
      told("CANCELLED", "CANCELLED"),
      told("EXPIRED", "GRANT_EXPIRED"),
      keepMs,
    ],
  });
  const [kind, number] = claimReply.parse(reply);
  switch (kind) {
    case "claimed":
      return { kind, fence: number };
    case "held":
      return { kind, leaseMs: number };
    case "settled":
      return { kind };
    case "lost_read":
      return { kind: "regrant", fence: number, errorClass: "OUTCOME_UNKNOWN" };
    case "grant_expired":
      return { kind: "regrant", fence: number, errorClass: "GRANT_EXPIRED" };
    case "no_call":
    case "superseded":
    case "key_reused":
      return { kind: "refused", reason: kind };
  }
}

async function begin(redis: Redis, itemKey: string, fence: number): Promise<BeginAnswer> {
  const keys = keysOf(itemKey);
  const reply = await runScript(redis, BEGIN, {
    keys: [keys.ledger(itemKey), keys.call(itemKey), keys.run, keys.workspace, keys.events],
    args: [
      itemKey,
      fence,
      eventText([itemEvent(itemKey, "STARTED", {})]),
      eventText([itemEvent(itemKey, "CANCELLED", { errorClass: "CANCELLED" })]),
    ],
  });
  return z.enum(["started", "settled", "stale"]).parse(reply);
}

async function end(
  redis: Redis,
  held: { readonly itemKey: string; readonly fence: number; readonly keepMs: number },
  ending: Ending,
): Promise<boolean> {
  const { itemKey, fence, keepMs } = held;
  const { to } = TRANSITIONS[ending.transition];
  const { errorClass, resultBytes } = ending;
  const kept = Object.entries({ ...ending, transition: null, content: null }).flatMap(([field, value]) =>
    value === null ? [] : [field, value],
  );
  const reply = await runScript(redis, END, {
    keys: endKeys(itemKey),
    args: [
      itemKey,
      fence,
      fromStates(ending.transition),
      to,
      eventText([itemEvent(itemKey, to, { errorClass, bytes: resultBytes })]),
      keepMs,
      ending.content ?? "",
      ...kept,
    ],
  });
  return reply === 1;
}

function endKeys(itemKey: string): readonly string[] {
  const keys = keysOf(itemKey);
  return [keys.ledger(itemKey), keys.workspace, keys.events, keys.result(itemKey), keys.run];
}

function itemEvent(
  itemKey: string,
  state: ItemState,
  told: { readonly tool?: string; readonly errorClass?: ErrorClass | null; readonly bytes?: number },
): RunEvent {
  return {
    type: "item_state",
    itemKey,
    state,
    tool: told.tool ?? null,
    rule: null,
    errorClass: told.errorClass ?? null,
    bytes: told.bytes ?? null,
  };
}

function keysOf(itemKey: string): ReturnType<typeof runKeys> {
  const parts = parseItemKey(itemKey);
  if (parts === null) throw new AirlockError("RECORD_INVALID", "an item key is malformed");
  return runKeys(parts.run);
}
