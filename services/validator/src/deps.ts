import type { ParkedJobs, Publisher } from "@airlock/core/queue";
import type { Keyring } from "@airlock/core/record";
import type { RouteBreaker, Routes, ValidatorStore } from "@airlock/core/run";
import type { KeepDecision, Log, Metrics, Policies } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { ToolCatalog } from "@airlock/core/tool";
import type { Judge } from "@airlock/core/verdict";
import type { ValidatorConfig } from "./config.ts";

/** Everything that the validator's stages reach: composed once, in start.ts. */
export interface Deps {
  readonly config: ValidatorConfig;
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly store: ValidatorStore;
  readonly publisher: Publisher;
  /** the jobs on `approvals` */
  readonly asks: ParkedJobs;
  readonly routes: Routes;
  readonly breaker: RouteBreaker;
  readonly policies: Policies;
  readonly catalog: ToolCatalog;
  readonly judge: Judge;
  /** of the marks by which equal contents are found; null where nobody opted in */
  readonly correlationKey: Buffer | null;
  readonly keepDecision: KeepDecision;
  readonly log: Log;
  readonly metrics: Metrics;
}
