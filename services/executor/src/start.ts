import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { createLedger } from "@airlock/core/ledger";
import {
  consume,
  createCancelBoard,
  createPublisher,
  watchCancels,
  type Delivery,
} from "@airlock/core/queue";
import {
  errorFields,
  loadTools,
  servePolicies,
  type RunningService,
  type ServiceContext,
} from "@airlock/core/runtime";
import { createJudge } from "@airlock/core/verdict";
import { onExecution } from "./call/on-execution.ts";
import { createWorkspaces } from "./call/workspaces.ts";
import { executorConfig, type ExecutorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { openDurability } from "./durability/index.ts";
import { openLeases } from "./lease/index.ts";
import { createBwrapBackend, missingGuarantees } from "./sandbox/index.ts";
import { operatorBodies, TOOL_BODIES } from "./tools/index.ts";
import { defaultServiceUser, type ServiceUser } from "./workspace/index.ts";

/** The executor: the only place where tools run, and only under a grant. */
export async function startExecutor(context: ServiceContext): Promise<RunningService> {
  const { redis, keyring, log, metrics, signal } = context;
  const config = executorConfig();
  refuseReachablePolicies(config);
  const { catalog, operatorTools } = loadTools(config.tools);
  const served = servePolicies(config.policies, { catalog, log, metrics });
  const publisher = createPublisher({ redis, keyring });
  const cancels = createCancelBoard();
  const serviceUser = serviceUserOf(config);
  const owner = randomUUID();
  const holding = await openHolding(context, config, owner);
  const deps: Deps = {
    config,
    redis,
    keyring,
    publisher,
    catalog,
    log,
    cancels,
    serviceUser,
    workspaces: createWorkspaces(config, serviceUser, signal),
    policies: served.policies,
    judge: createJudge(catalog),
    bodies: new Map([...TOOL_BODIES, ...(await operatorBodies(operatorTools, config))]),
    ...holding,
    sandbox: await openSandbox(context, config, serviceUser),
    owner,
  };
  const watching = watchCancels({ redis, signal }, (run) => cancels.cancel(run));
  const execution = (delivery: Delivery<"execution">) => onExecution(deps, delivery);
  const consumer = consume(
    context,
    { family: "executions", handlers: { execution } },
    context.consumeOptions(config.pool),
  );
  return {
    consumers: [consumer],
    checks: [() => sandboxCheck(deps.sandbox), holding.durability.check],
    async close() {
      served.close();
      await watching;
      await Promise.all([publisher.close(), holding.leases.close(), holding.durability.close()]);
    },
  };
}

/** What a call is held by: the ledger, this executor's own log beside it, and the leases. */
async function openHolding(
  { config: shared, redis, keyring, log, signal }: ServiceContext,
  config: ExecutorConfig,
  owner: string,
): Promise<Pick<Deps, "ledger" | "durability" | "leases">> {
  const { pool, leaseMs, barrierMs, durability: mode, barrierReplicas: replicas } = config;
  const ledger = createLedger(redis, config.ledgerMs);
  const folder = config.writeAhead === "" ? path.join(config.volume, "write-ahead") : config.writeAhead;
  const onFailure = (error: unknown): void => log.write("error", "leases_failed", errorFields(error));
  return {
    ledger,
    durability: await openDurability(
      { redis, keyring, log, signal, ledger, owner, pool, leaseMs },
      { mode, replicas, barrierMs, folder },
    ),
    leases: await openLeases({ ledger, owner, leaseMs, redisUrl: shared.redisUrl, onFailure }),
  };
}

/** Nothing that decides about an agent lies where its workspaces are. */
function refuseReachablePolicies({ policies, volume }: ExecutorConfig): void {
  const [folder, outer] = [policies, volume].map((place) => realpathOf(path.resolve(place)));
  if (folder === undefined || outer === undefined) return;
  if (folder !== outer && !folder.startsWith(`${outer}/`)) return;
  throw new AirlockError(
    "CONFIG_INVALID",
    "AIRLOCK_POLICIES lies inside AIRLOCK_VOLUME, where agents write; move it out",
  );
}

function realpathOf(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}

/** Tries the sandbox with canaries. Without one the executor still serves what starts no program. */
async function openSandbox(
  { log, signal }: ServiceContext,
  config: ExecutorConfig,
  serviceUser: ServiceUser | null,
): Promise<Deps["sandbox"]> {
  try {
    const backend = await createBwrapBackend({
      bwrapPath: config.bwrap,
      stateDir: path.resolve(config.volume, "sandbox"),
      serviceUser,
      effectiveUid: process.geteuid?.() ?? 0,
      toolchains: config.toolchains,
    });
    const probe = await backend.probe(signal);
    const detail = Object.values(probe.detail).join("; ");
    log.write(detail === "" ? "info" : "warn", "sandbox_probed", {
      state: [...probe.held].join(" "),
      detail,
    });
    return { backend, probe };
  } catch (error) {
    if (error instanceof AirlockError && error.code === "CONFIG_INVALID") throw error;
    log.write("warn", "sandbox_probed", { state: "none", ...errorFields(error) });
    return null;
  }
}

function sandboxCheck(sandbox: Deps["sandbox"]) {
  const missing = missingGuarantees("command", sandbox?.probe.held ?? new Set());
  // Tools that start no program still work, so this doesn't take the executor out of service.
  return missing.length === 0
    ? { name: "sandbox", ok: true }
    : { name: "sandbox", ok: true, detail: `commands are refused: ${missing.join(", ")} not shown to hold` };
}

function serviceUserOf(config: ExecutorConfig): ServiceUser | null {
  const [uid, gid] = config.serviceUser.split(":").map(Number);
  if (uid === undefined || gid === undefined) return defaultServiceUser(process.geteuid?.() ?? 0);
  return { uid, gid };
}
