import type { Deps } from "../deps.ts";
import type { Webhook } from "./webhooks.ts";

/** What notifications reach. */
export interface NotifyDeps extends Pick<Deps, "redis" | "access" | "log" | "metrics"> {
  readonly config: Pick<
    Deps["config"],
    "webhookTimeoutMs" | "webhookAttempts" | "webhookRetryMs" | "approvalWarnPart"
  >;
  readonly webhooks: readonly Webhook[];
  /** where the links of messages lead */
  readonly origin: string;
}

/** Nobody wants to hear of last week after the consoles, or a receiver, were off for one. */
export const OLDEST_MS = 86_400_000;

export interface Pace {
  readonly tickMs: number;
  readonly leaseMs: number;
  /** how often the questions' ends are looked at */
  readonly expiringMs: number;
  /** how long a silent process keeps a delivery */
  readonly lockMs: number;
}

export const PACE: Pace = { tickMs: 500, leaseMs: 10_000, expiringMs: 5_000, lockMs: 30_000 };
