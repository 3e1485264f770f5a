import type { AttemptParts } from "../record/index.ts";

/**
 * Every Redis key outside the queues. One hash tag per run, so that a script over one run's keys works in a cluster;
 * each family has one writer, named beside it.
 */
export function runKeys(run: string) {
  const base = `airlock:{${run}}`;
  return {
    /** submitter: the sealed spec */
    spec: `${base}:spec`,
    /** validator */
    run: `${base}:run`,
    /** validator */
    turn: (turn: number) => `${base}:turn:${turn}`,
    /** streamer */
    attempt: ({ turn, attempt }: Pick<AttemptParts, "turn" | "attempt">) =>
      `${base}:attempt:${turn}.${attempt}`,
    /** streamer: the signed record and the sealed content of an item */
    item: (itemKey: string) => `${base}:item:${itemKey}`,
    /** validator: verdict, decision, grant, settlement */
    call: (itemKey: string) => `${base}:call:${itemKey}`,
    /** executor: claim, fence, result */
    ledger: (itemKey: string) => `${base}:ledger:${itemKey}`,
    /** executor: the lease that keeps mutating calls apart */
    workspace: `${base}:workspace`,
    /** streamer and validator append sealed entries */
    conversation: `${base}:conversation`,
    /** all append: a capped stream of sanitized events */
    events: `${base}:events`,
  } as const;
}
export type RunKeys = ReturnType<typeof runKeys>;

export const globalKeys = {
  /** Sorted set of open turns by the time of their next check; several append. */
  open: "airlock:open",
  /** Stream of cancel signals, read by every process; validator. */
  control: "airlock:control",
  /** Sorted set of run ids by time of admission, can be rebuilt; validator. */
  runs: "airlock:runs",
  /** Lease of the one sweeping validator. */
  sweeper: "airlock:sweeper",
  /** What streamers share about a route: its pause, and with `:slots` and `:starts` its slots and its starts. */
  limit: (route: string) => `airlock:route:{${route}}:limit`,
  /** Whether the route is suspended, and with `:mismatches` what it did against its contract; validator. */
  breaker: (route: string) => `airlock:route:{${route}}:breaker`,
  /** Hash of signed contract reports; validator. */
  report: (route: string) => `airlock:route:${route}:report`,
} as const;
