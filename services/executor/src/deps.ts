import type { EffectKeys, Ledger } from "@airlock/core/ledger";
import type { CancelBoard, Publisher } from "@airlock/core/queue";
import type { Repositories } from "@airlock/core/run";
import type { Keyring } from "@airlock/core/record";
import type { Log, Metrics, Policies } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { ToolCatalog } from "@airlock/core/tool";
import type { Judge } from "@airlock/core/verdict";
import type { ExecutorConfig } from "./config.ts";
import type { Durability } from "./durability/index.ts";
import type { Leases } from "./lease/index.ts";
import type { ProbeReport, SandboxBackend } from "./sandbox/index.ts";
import type { Workspaces } from "./call/workspaces.ts";
import type { Tool } from "./tools/index.ts";
import type { ServiceUser } from "./workspace/index.ts";

/** Everything that the executor's stages reach: composed once, in start.ts. */
export interface Deps {
  readonly config: ExecutorConfig;
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly ledger: Ledger;
  readonly effects: EffectKeys;
  readonly publisher: Publisher;
  readonly policies: Policies;
  readonly catalog: ToolCatalog;
  readonly judge: Judge;
  /** of the built-in tools and the operator's, by name */
  readonly bodies: ReadonlyMap<string, Tool>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cancels: CancelBoard;
  readonly durability: Durability;
  readonly leases: Leases;
  readonly serviceUser: ServiceUser | null;
  readonly workspaces: Workspaces;
  readonly repositories: Repositories;
  /** null where the machine has no sandbox: no command runs then */
  readonly sandbox: { readonly backend: SandboxBackend; readonly probe: ProbeReport } | null;
  /** the name under which this process claims */
  readonly owner: string;
}
