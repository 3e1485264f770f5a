import { z } from "zod";
import { list, milliseconds, retention, type Setting } from "./setting.ts";

/** The times and bounds that only the validator reads. */
export const VALIDATOR_SETTINGS = {
  pools: {
    env: "AIRLOCK_POOLS",
    schema: list,
    fallback: "",
    readers: ["validator"],
    doc: "pools that runs may be bound to, comma-separated; empty for every one that an executor serves",
  },
  poolLostMs: {
    env: "AIRLOCK_POOL_LOST_MS",
    schema: milliseconds,
    fallback: "300000",
    readers: ["validator"],
    doc: "how long a pool may be without any executor before the runs that are bound to it end",
  },
  sweepMs: {
    env: "AIRLOCK_SWEEP_MS",
    schema: milliseconds,
    fallback: "1000",
    readers: ["validator"],
    doc: "how often open turns are looked at",
  },
  openMs: {
    env: "AIRLOCK_OPEN_MS",
    schema: milliseconds,
    fallback: "30000",
    readers: ["validator"],
    doc: "how long a turn may go without a sign before it is published again",
  },
  grantMs: {
    env: "AIRLOCK_GRANT_MS",
    schema: milliseconds,
    fallback: "120000",
    readers: ["validator"],
    doc: "how long a grant holds",
  },
  decisionMs: {
    env: "AIRLOCK_DECISION_MS",
    schema: milliseconds,
    fallback: "3600000",
    readers: ["validator"],
    doc: "how long a decision holds",
  },
  approvalMs: {
    env: "AIRLOCK_APPROVAL_MS",
    schema: milliseconds,
    fallback: "1800000",
    readers: ["validator"],
    doc: "how long a call waits for an approval",
  },
  retryMs: {
    env: "AIRLOCK_RETRY_MS",
    schema: milliseconds,
    fallback: "1000",
    readers: ["validator"],
    doc: "wait before the second attempt of a turn; doubles with each",
  },
  breakerMismatches: {
    env: "AIRLOCK_BREAKER_MISMATCHES",
    schema: z.coerce.number().int().min(1).max(1_000),
    fallback: "5",
    readers: ["validator"],
    doc: "responses against the contract of its family that suspend a route",
  },
  breakerWindowMs: {
    env: "AIRLOCK_BREAKER_WINDOW_MS",
    schema: milliseconds,
    fallback: "300000",
    readers: ["validator"],
    doc: "how long such a response counts",
  },
  breakerOpenMs: {
    env: "AIRLOCK_BREAKER_OPEN_MS",
    schema: milliseconds,
    fallback: "60000",
    readers: ["validator"],
    doc: "how long a route stays suspended before one attempt may try it",
  },
  rawMs: {
    env: "AIRLOCK_RAW_MS",
    schema: retention(0),
    fallback: "86400000",
    readers: ["validator"],
    doc: "how long partial and refused output is kept where a spec says nothing; 0: not at all",
  },
  runMs: {
    env: "AIRLOCK_RUN_MS",
    schema: retention(1),
    fallback: "604800000",
    readers: ["validator"],
    doc: "how long a run's keys are kept after its end",
  },
  metricsRedisUrl: {
    env: "AIRLOCK_METRICS_REDIS_URL",
    schema: z.union([z.literal(""), z.url({ protocol: /^rediss?$/ })]),
    fallback: "",
    readers: ["validator"],
    doc: "REDIS_URL under a user that only reads, for the figures of the whole installation; empty for REDIS_URL itself",
  },
} as const satisfies Record<string, Setting>;
