import { RESULT_STATES, type ResultBody } from "@airlock/core/contract";
import { isErrorClass, type ErrorClass } from "@airlock/core/fault";
import type { LedgerEntry } from "@airlock/core/ledger";
import { parseItemKey } from "@airlock/core/record";
import { z } from "zod";
import type { Deps } from "../deps.ts";

const status = z.enum(["ok", "error", "timeout", "output_limit", "cancelled", "refused", "unknown"]);

/**
 * Publishes the one outcome of a settled call, as the ledger has it: repeating it gives the same job.
 * False where the ledger has none yet. `known`: what it told a moment ago; it is asked where that is no end.
 */
export async function publishSettled(
  deps: Deps,
  itemKey: string,
  known: LedgerEntry | null = null,
): Promise<boolean> {
  const told = known === null ? null : settledBody(itemKey, known);
  const entry = told === null ? await deps.ledger.read(itemKey) : null;
  const body = told ?? (entry === null ? null : settledBody(itemKey, entry));
  if (body === null) return false;
  await deps.publisher.publish(deps.publisher.sign({ purpose: "result", body }));
  return true;
}

/** Says that nothing runs under a grant any more, and that the call may be granted anew. */
export async function publishRegrant(
  deps: Deps,
  grant: {
    readonly itemKey: string;
    readonly grant: number;
    readonly fence: number;
    readonly errorClass: ErrorClass;
  },
): Promise<void> {
  const body = { version: 1, run: runOf(grant.itemKey), kind: "regrant", ...grant } as const;
  await deps.publisher.publish(deps.publisher.sign({ purpose: "result", body }));
}

/** Says that a granted call would repeat the effect of an older one, and that policy has to say whether it may. */
export async function publishRedecide(
  deps: Deps,
  { itemKey, grant }: { readonly itemKey: string; readonly grant: number },
  repeats: string,
): Promise<void> {
  const fence = (await deps.ledger.read(itemKey))?.fence ?? 0;
  const head = { version: 1, run: runOf(itemKey), itemKey, grant, fence } as const;
  const body = { ...head, kind: "redecide", errorClass: "REPEATED_EFFECT", repeats } as const;
  await deps.publisher.publish(deps.publisher.sign({ purpose: "result", body }));
}

/** Says that a call is refused for good of which the ledger has nothing of its own. */
export async function publishRefused(
  deps: Deps,
  { itemKey, grant }: { readonly itemKey: string; readonly grant: number },
  errorClass: ErrorClass,
): Promise<void> {
  const head = { version: 1, run: runOf(itemKey), itemKey, grant, fence: 0, kind: "settled" } as const;
  const refused = { state: "DENIED", status: "refused", errorClass } as const;
  const body = { ...head, ...refused, contentDigest: null, resultBytes: 0, durationMs: 0 };
  await deps.publisher.publish(deps.publisher.sign({ purpose: "result", body }));
}

/** What is published of a settled call; null where it isn't settled, or the executors still find out about it. */
export function settledBody(itemKey: string, entry: LedgerEntry): ResultBody | null {
  const head = {
    version: 1,
    run: runOf(itemKey),
    itemKey,
    grant: entry.grant,
    fence: entry.fence,
    kind: "settled",
  } as const;
  // what a person finds out later changes nothing of what was published
  if (entry.state === "NEEDS_HUMAN" || entry.resolution !== undefined) return { ...head, ...UNKNOWN };
  const state = RESULT_STATES.find((known) => known === entry.state && known !== UNKNOWN.state);
  if (state === undefined) return null;
  const errorClass = entry.errorClass ?? "";
  return {
    ...head,
    state,
    status: status.parse(entry.status),
    errorClass: isErrorClass(errorClass) ? errorClass : null,
    ...(entry.detail === undefined ? {} : { detail: entry.detail }),
    contentDigest: entry.contentDigest ?? null,
    resultBytes: entry.resultBytes ?? 0,
    durationMs: entry.durationMs ?? 0,
  };
}

const UNKNOWN = {
  state: "OUTCOME_UNKNOWN",
  status: "unknown",
  errorClass: "OUTCOME_UNKNOWN",
  contentDigest: null,
  resultBytes: 0,
  durationMs: 0,
} as const;

function runOf(itemKey: string): string {
  return parseItemKey(itemKey)?.run ?? "";
}
