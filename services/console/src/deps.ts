import type { Access } from "@airlock/operator/document";
import type { Keyring } from "@airlock/core/record";
import type { Routes } from "@airlock/core/run";
import type { Log, Metrics } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { ToolCatalog } from "@airlock/core/tool";
import type { Audit } from "./audit/index.ts";
import type { ConsoleConfig } from "./config.ts";
import type { Users } from "./identity/index.ts";
import type { Sessions } from "./session/sessions.ts";

/** Everything that the console's parts reach: composed once, in start.ts. */
export interface Deps {
  readonly config: ConsoleConfig;
  readonly redis: Redis;
  /** signs commands, opens what lies sealed */
  readonly keyring: Keyring;
  /** signs what people answer */
  readonly approver: Keyring;
  readonly access: Access;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly routes: Routes;
  readonly catalog: ToolCatalog;
  readonly log: Log;
  readonly metrics: Metrics;
}
