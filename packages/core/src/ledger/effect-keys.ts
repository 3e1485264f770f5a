import { z } from "zod";
import { canonicalJson, type JsonObject } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";
import { globalKeys, redisNow, runScript, type Redis, type Script } from "../store/index.ts";
import type { Ledger } from "./ledger.ts";
import { standingOf } from "./repeats.ts";
import { LEDGER_KEEP_MS } from "./standing.ts";

/** Tools whose effect reaches out of the run's workspace, to where other runs reach too. Sandboxed programs have no network. */
const REACHING_OUT: ReadonlySet<string> = new Set(["git_push"]);

/** SHA-256, in hex, of what a call does and where: two calls with one digest have the same effect. */
export function effectDigest(call: {
  readonly run: string;
  readonly source: string;
  readonly tool: string;
  readonly args: JsonObject;
}): string {
  const { run, source, tool, args } = call;
  const place = REACHING_OUT.has(tool) ? ["repository", source] : ["run", run];
  return sha256Hex(canonicalJson(["airlock.effect.v1", ...place, tool, args]));
}

/** Only `reserved` may go on to the claim. */
export type Reservation =
  | { readonly kind: "reserved" }
  | { readonly kind: "held"; readonly leaseMs: number }
  | { readonly kind: "repeated"; readonly owner: string };

/**
 * Takes the key from the owner that the caller knows of.
 *   KEYS 1 effect    ARGV 1 item key, 2 owner that it may be taken from ("" for none), 3 ms that it is kept
 *   Returns the owner afterwards
 */
const RESERVE: Script = {
  name: "effect-reserve",
  lua: `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and owner ~= ARGV[2] then return owner end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`,
};

/** Owners that change under a caller's hands this often are others at work on the same effect. */
const ROUNDS = 3;
const BUSY_MS = 500;

export interface EffectKeys {
  /** `repeats`: the owner whose effect the call may repeat, as its grant says; null for none. */
  reserve(call: {
    readonly itemKey: string;
    readonly digest: string;
    readonly repeats: string | null;
  }): Promise<Reservation>;
}

/** One owner per effect, whose own entry in the ledger says what it did: there is no second account of that. */
export function createEffectKeys(redis: Redis, ledger: Ledger, keepMs = LEDGER_KEEP_MS): EffectKeys {
  return {
    async reserve({ itemKey, digest, repeats }) {
      let known = "";
      for (let round = 0; round < ROUNDS; round += 1) {
        const input = { keys: [globalKeys.effect(digest)], args: [itemKey, known, keepMs] };
        const owner = z.string().parse(await runScript(redis, RESERVE, input));
        if (owner === itemKey) return { kind: "reserved" };
        const [entry, now] = await Promise.all([ledger.read(owner), redisNow(redis)]);
        const standing = standingOf({ itemKey, now }, { itemKey: owner, entry });
        if (standing.kind === "held") return standing;
        if (standing.kind === "repeated" && owner !== repeats) return { kind: "repeated", owner };
        known = owner;
      }
      return { kind: "held", leaseMs: BUSY_MS };
    },
  };
}
