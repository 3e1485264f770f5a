import { z } from "zod";
import { fromStates, TRANSITIONS } from "../call/index.ts";
import { fieldsOf, type Redis } from "../store/index.ts";
import { keysOf, toldOf } from "./entry-place.ts";
import { ledgerEntrySchema } from "./entry.ts";
import { NOT_EXECUTED } from "./leaving.ts";
import type { Ledger, ReconcileAnswer } from "./ledger.ts";
import type { RunOnEntry } from "./redis-ledger.ts";
import { KEEP_EVIDENCE, LOSE_UNSEEN, RECONCILE, RESOLVE } from "./unknown-scripts.ts";
import { listUnknown } from "./unknowns.ts";

const reconcileReply = z.tuple([z.enum(["reconciling", "held", "settled"]), z.number()], z.string());

/** What becomes of calls whose end nobody saw. */
export function unknownCalls(
  redis: Redis,
  run: RunOnEntry,
): Pick<Ledger, "loseUnseen" | "reconcile" | "resolve" | "keepEvidence"> {
  return {
    async loseUnseen(itemKey, { fence, grant, digest, tool, effect, owner }) {
      const event = toldOf(itemKey, "lose_unseen", { tool, errorClass: "OUTCOME_UNKNOWN" });
      const lost = await run(LOSE_UNSEEN, itemKey, [fence, grant, digest, tool, effect, owner, event]);
      await listUnknown(redis, itemKey);
      return lost === 1;
    },
    async reconcile(itemKey, { owner, leaseMs }): Promise<ReconcileAnswer> {
      const reply = await run(RECONCILE, itemKey, [owner, leaseMs, toldOf(itemKey, "reconcile")]);
      const [kind, number, ...fields] = reconcileReply.parse(reply);
      switch (kind) {
        case "settled":
          return { kind };
        case "held":
          return { kind, leaseMs: number };
        case "reconciling": {
          const entry = fieldsOf(ledgerEntrySchema, keysOf(itemKey).ledger(itemKey), hashOf(fields));
          return entry === null ? { kind: "settled" } : { kind, fence: number, entry };
        }
      }
    },
    async resolve(itemKey, { finding, by, reason }) {
      const transition = finding === "executed" ? "resolve_done" : "resolve_undone";
      const fields = finding === "executed" ? { status: "ok" } : NOT_EXECUTED;
      const { errorClass = null } = finding === "executed" ? {} : NOT_EXECUTED;
      const resolved = await run(RESOLVE, itemKey, [
        fromStates(transition),
        TRANSITIONS[transition].to,
        JSON.stringify({ finding, by, reason }),
        toldOf(itemKey, transition, { errorClass }),
        ...Object.entries(fields).flat(),
      ]);
      await listUnknown(redis, itemKey);
      return resolved === 1;
    },
    async keepEvidence(itemKey, { fence, status, contentDigest }) {
      const text = JSON.stringify({ fence, status, contentDigest });
      return (await run(KEEP_EVIDENCE, itemKey, [fence, text])) === 1;
    },
  };
}

function hashOf(list: readonly string[]): Readonly<Record<string, string>> {
  const pairs = list.flatMap((field, at): [string, string][] =>
    at % 2 === 0 ? [[field, list[at + 1] ?? ""]] : [],
  );
  return Object.fromEntries(pairs);
}
