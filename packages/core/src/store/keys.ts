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
    /** validator: the sealed last text of a run that ended short of its artifact */
    partial: `${base}:partial`,
    /** validator */
    turn: (turn: number) => `${base}:turn:${turn}`,
    /** streamer */
    attempt: ({ turn, attempt }: Pick<AttemptParts, "turn" | "attempt">) =>
      `${base}:attempt:${turn}.${attempt}`,
    /** streamer: of a response that did not end well, its bytes, sealed */
    raw: ({ turn, attempt }: Pick<AttemptParts, "turn" | "attempt">) => `${base}:raw:${turn}.${attempt}`,
    /** streamer: the signed record of an item */
    item: (itemKey: string) => `${base}:item:${itemKey}`,
    /** streamer: the sealed content of an item, which may have to go before its record does */
    content: (itemKey: string) => `${base}:content:${itemKey}`,
    /** validator: verdict, decision, grant, settlement */
    call: (itemKey: string) => `${base}:call:${itemKey}`,
    /** validator: of a call that it makes itself, the sealed arguments, which may have to go before its record does */
    arguments: (itemKey: string) => `${base}:arguments:${itemKey}`,
    /** executor: claim, fence, state; stays behind when the run's other keys go */
    ledger: (itemKey: string) => `${base}:ledger:${itemKey}`,
    /** executor: the sealed result of a call */
    result: (itemKey: string) => `${base}:result:${itemKey}`,
    /** executor: the lease that keeps mutating calls apart */
    workspace: `${base}:workspace`,
    /** executor: set of calls with effects of which nobody knows yet whether they ran: nothing changes the workspace meanwhile */
    unknown: `${base}:unknown`,
    /** executor: set of those among them that wait for a person: what wants to change the workspace is refused */
    frozen: `${base}:frozen`,
    /** streamer and validator append sealed entries */
    conversation: `${base}:conversation`,
    /** validator: what people did about the run's refusals, and what came of it */
    actions: `${base}:actions`,
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
  /** Sorted set of the runs with something refused, by time of the latest; can be rebuilt; validator. */
  quarantine: "airlock:quarantine",
  /** Stream of what people did about refusals, with their reasons; validator. */
  audit: "airlock:audit",
  /** Sorted set of the calls in every run's `:unknown` by the time of it, can be rebuilt; executor. */
  unknowns: "airlock:unknowns",
  /** Lease of the one sweeping validator. */
  sweeper: "airlock:sweeper",
  /** What streamers share about a route: its pause, and with `:slots` and `:starts` its slots and its starts. */
  limit: (route: string) => `airlock:route:{${route}}:limit`,
  /** Whether the route is suspended, and with `:mismatches` what it did against its contract; validator. */
  breaker: (route: string) => `airlock:route:{${route}}:breaker`,
  /** Hash of signed contract reports; validator. */
  report: (route: string) => `airlock:route:${route}:report`,
} as const;
