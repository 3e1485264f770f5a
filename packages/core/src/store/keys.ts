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
    /** console: hash of the signed answers to the validator's question about a call, by approver */
    approval: (itemKey: string) => `${base}:approval:${itemKey}`,
    /** executor: claim, fence, state; stays behind when the run's other keys go */
    ledger: (itemKey: string) => `${base}:ledger:${itemKey}`,
    /** executor: the sealed result of a call */
    result: (itemKey: string) => `${base}:result:${itemKey}`,
    /** executor: what a call that waits for people would change, sealed, until nobody is asked any more */
    preview: (itemKey: string) => `${base}:preview:${itemKey}`,
    /** executor: the lease that keeps mutating calls apart */
    workspace: `${base}:workspace`,
    /** executor: the sealed difference between the run's tree at its end and its base */
    diff: `${base}:diff`,
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
  /** Set of the names of pools that an executor ever served; executors. */
  pools: "airlock:pools",
  /** Hash of a pool's executors: what each last said of itself, by its id; executors. */
  pool: (pool: string) => `airlock:pool:${pool}:executors`,
  /** Set of the runs that are bound to a pool and go on; can be rebuilt; validator. */
  poolRuns: (pool: string) => `airlock:pool:${pool}:runs`,
  /** Sorted set of the calls in every run's `:unknown` by the time of it, can be rebuilt; executor. */
  unknowns: "airlock:unknowns",
  /** The call that last had, or may have had, an effect; executor. */
  effect: (digest: string) => `airlock:effect:{${digest}}`,
  /** Sorted set of the calls that wait for people, by the end of the wait; can be rebuilt; validator. */
  approvals: "airlock:approvals",
  /** Capped stream of what people want to hear of, over all runs: questions, answers, ends, unknown outcomes, suspended routes; validator. */
  feed: "airlock:feed",
  /** Capped stream of the lines of both decision logs, over all runs, to be sampled; validator. */
  decisions: "airlock:decisions",
  /** A browser's session by the digest of its cookie; console. */
  consoleSession: (digest: string) => `airlock:console:session:${digest}`,
  /** Count of the latest failed logins of a name, an address, or both; console. */
  consoleLogins: (digest: string) => `airlock:console:logins:${digest}`,
  /** Prefix of the counts of requests that a name made within the minute; console. */
  consoleRate: "airlock:console:rate:",
  /** Who submitted a run, until its admission says so; console. */
  consoleSubmitter: (run: string) => `airlock:console:submitter:${run}`,
  /** The run id that belongs to a caller's idempotency key, by the digest of both names; console. */
  consoleIdempotency: (digest: string) => `airlock:console:idempotency:${digest}`,
  /** Hash: which console reads the feed for the webhooks, until when, and how far it has come; console. */
  consoleFeed: "airlock:console:feed",
  /** Sorted set of the questions that webhooks were told are about to expire, by their end; console. */
  consoleWarned: "airlock:console:warned",
  /** Capped stream of what people asked of the console, and how it was answered; console. */
  consoleAudit: "airlock:console:audit",
  /** Hash of what people have stopped, by its name; validator. */
  kill: "airlock:kill",
  /** Lease of the one sweeping validator. */
  sweeper: "airlock:sweeper",
  /** Hash of the write-ahead logs of a pool's executors, and of the Redis that each was last held against; executor. */
  poolLogs: (pool: string) => `airlock:pool:${pool}:logs`,
  /** What streamers share about a route: its pause, and with `:slots` and `:starts` its slots and its starts. */
  limit: (route: string) => `airlock:route:{${route}}:limit`,
  /** Whether the route is suspended, and with `:mismatches` what it did against its contract; validator. */
  breaker: (route: string) => `airlock:route:{${route}}:breaker`,
  /** Hash of signed contract reports; validator. */
  report: (route: string) => `airlock:route:${route}:report`,
} as const;
