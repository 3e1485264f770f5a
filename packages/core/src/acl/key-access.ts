// Every key of the store in, who may change it and who may look at it out. A key without a row here doesn't compile.
import { globalKeys, runKeys, type RunKeys } from "../store/index.ts";
import type { RedisUser } from "./users.ts";

/** Who may do what with the keys of one family. */
export interface KeyAccess {
  /** changes its content; more than one only where they are the same part of Airlock: a console, or the CLI in its place */
  readonly writes: readonly RedisUser[];
  /** adds to its end, and can't take anything back */
  readonly appends?: readonly RedisUser[];
  readonly reads: readonly RedisUser[];
}

/** What people submit and answer, be it through the console or with the CLI on the machine itself. */
const SUBMITTERS = ["console", "client"] as const;
const SHOWN = ["console", "client", "metrics"] as const;

/** Below `airlock:{<run>}`. */
export const RUN_KEY_ACCESS = {
  spec: { writes: SUBMITTERS, reads: ["validator"] },
  run: { writes: ["validator"], reads: ["streamer", "executor", ...SUBMITTERS] },
  partial: { writes: ["validator"], reads: SUBMITTERS },
  turn: { writes: ["validator"], reads: ["streamer", "executor", ...SUBMITTERS] },
  attempt: { writes: ["streamer"], reads: ["validator", ...SUBMITTERS] },
  raw: { writes: ["streamer"], reads: SUBMITTERS },
  item: { writes: ["streamer"], reads: ["validator", "executor", ...SUBMITTERS] },
  content: { writes: ["streamer"], reads: ["validator", "executor", ...SUBMITTERS] },
  call: { writes: ["validator"], reads: ["executor", ...SUBMITTERS] },
  arguments: { writes: ["validator"], reads: ["executor", ...SUBMITTERS] },
  approval: { writes: SUBMITTERS, reads: ["validator", "executor"] },
  ledger: { writes: ["executor"], reads: ["validator", ...SUBMITTERS] },
  result: { writes: ["executor"], reads: ["validator", ...SUBMITTERS] },
  preview: { writes: ["executor"], reads: SUBMITTERS },
  workspace: { writes: ["executor"], reads: ["validator", ...SUBMITTERS] },
  diff: { writes: ["executor"], reads: SUBMITTERS },
  unknown: { writes: ["executor"], reads: ["validator", ...SUBMITTERS] },
  frozen: { writes: ["executor"], reads: ["validator", ...SUBMITTERS] },
  conversation: { writes: ["validator"], appends: ["streamer"], reads: ["streamer"] },
  actions: { writes: ["validator"], reads: SUBMITTERS },
  events: { writes: ["validator"], appends: ["streamer", "executor", ...SUBMITTERS], reads: SUBMITTERS },
} as const satisfies Record<keyof RunKeys, KeyAccess>;

/** The keys outside of runs. */
export const GLOBAL_KEY_ACCESS = {
  open: { writes: ["validator"], reads: SHOWN },
  control: { writes: ["validator"], reads: ["streamer", "executor", ...SUBMITTERS] },
  runs: { writes: ["validator"], reads: SHOWN },
  quarantine: { writes: ["validator"], reads: SHOWN },
  audit: { writes: ["validator"], reads: SUBMITTERS },
  decisions: { writes: ["validator"], reads: SUBMITTERS },
  pools: { writes: ["executor"], reads: ["validator", ...SHOWN] },
  pool: { writes: ["executor"], reads: ["validator", ...SHOWN] },
  poolRuns: { writes: ["validator"], reads: ["executor", ...SHOWN] },
  unknowns: { writes: ["executor"], reads: ["validator", ...SHOWN] },
  effect: { writes: ["executor"], reads: [] },
  approvals: { writes: ["validator"], reads: SHOWN },
  feed: { writes: ["validator"], reads: SUBMITTERS },
  consoleSession: { writes: ["console"], reads: [] },
  consoleLogins: { writes: ["console"], reads: [] },
  consoleRate: { writes: ["console"], reads: [] },
  consoleSubmitter: { writes: ["console"], reads: [] },
  consoleIdempotency: { writes: ["console"], reads: [] },
  consoleFeed: { writes: ["console"], reads: [] },
  consoleWarned: { writes: ["console"], reads: [] },
  consoleAudit: { writes: ["console"], reads: [] },
  kill: { writes: ["validator"], reads: ["streamer", "executor", ...SUBMITTERS] },
  sweeper: { writes: ["validator"], reads: [] },
  poolLogs: { writes: ["executor"], reads: SUBMITTERS },
  limit: { writes: ["streamer"], reads: SHOWN },
  breaker: { writes: ["validator"], reads: ["streamer", ...SHOWN] },
  report: { writes: ["validator"], reads: SUBMITTERS },
} as const satisfies Record<keyof typeof globalKeys, KeyAccess>;

export interface KeyFamily extends KeyAccess {
  readonly name: string;
  readonly patterns: readonly string[];
  /** one of a run: the validator decides how long it lives */
  readonly ofRun: boolean;
}

/** What stands beside a key under the same name. */
const BESIDE: Readonly<Partial<Record<keyof typeof globalKeys, readonly string[]>>> = {
  limit: [":slots", ":starts"],
  breaker: [":mismatches"],
};

/** Every family with Redis' patterns for its keys, which are those of the code that makes them. */
export const KEY_FAMILIES: readonly KeyFamily[] = [
  ...entriesOf(RUN_KEY_ACCESS).map(([name, access]) => ({
    ...access,
    name,
    patterns: [patternOfRun(name)],
    ofRun: true,
  })),
  ...entriesOf(GLOBAL_KEY_ACCESS).map(([name, access]) => {
    const pattern = globalPattern(name);
    const beside = (BESIDE[name] ?? []).map((end) => `${pattern}${end}`);
    return { ...access, name, patterns: [pattern, ...beside], ofRun: false };
  }),
];

function entriesOf<Name extends string>(table: Readonly<Record<Name, KeyAccess>>): [Name, KeyAccess][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tables above are literals: they have no other keys
  return Object.entries(table) as [Name, KeyAccess][];
}

function patternOfRun(name: keyof RunKeys): string {
  const keys = runKeys("*");
  if (name === "turn") return everyNumber(keys.turn(0), "0");
  if (name === "attempt" || name === "raw") return everyNumber(keys[name]({ turn: 0, attempt: 0 }), "0.0");
  const key = keys[name];
  return typeof key === "string" ? key : key("*");
}

function everyNumber(key: string, end: string): string {
  return `${key.slice(0, -end.length)}*`;
}

function globalPattern(name: keyof typeof globalKeys): string {
  if (name === "consoleRate") return `${globalKeys.consoleRate}*`;
  const key = globalKeys[name];
  return typeof key === "string" ? key : key("*");
}
