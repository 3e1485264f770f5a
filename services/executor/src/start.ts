import { hostname } from "node:os";
import path from "node:path";
import {
  consume,
  createCancelBoard,
  createPublisher,
  watchSignals,
  type Handlers,
} from "@airlock/core/queue";
import {
  loadRepositories,
  loadTools,
  servePolicies,
  trustApprovers,
  type RunningService,
  type ServiceContext,
} from "@airlock/core/runtime";
import { createJudge } from "@airlock/core/verdict";
import { onExecution } from "./call/on-execution.ts";
import { createRunPrepare } from "./call/run-prepare.ts";
import { createWorkspaces } from "./call/workspaces.ts";
import { executorConfig, type ExecutorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { openHolding } from "./open-holding.ts";
import { openPlaces } from "./open-places.ts";
import { openSandbox, sandboxCheck } from "./open-sandbox.ts";
import { startHeartbeat } from "./pool/index.ts";
import { onPreview } from "./preview/index.ts";
import { onResolution, ownerName } from "./reconcile/index.ts";
import { startVolumeSweeper } from "./sweep/index.ts";
import { gitTools, operatorBodies, TOOL_BODIES } from "./tools/index.ts";
import { defaultServiceUser, type ServiceUser } from "./workspace/index.ts";

/** The executor: the only place where tools run, and only under a grant. */
export async function startExecutor(context: ServiceContext): Promise<RunningService> {
  const { redis, log, metrics, signal } = context;
  const config = executorConfig();
  const keyring = trustApprovers(context.keyring, config.approvers);
  const serviceUser = serviceUserOf(config);
  await openPlaces(config, serviceUser);
  const { catalog, operatorTools } = loadTools(config.tools);
  const repositories = loadRepositories(config.repositories);
  const served = servePolicies(config.policies, { catalog, log, metrics });
  const publisher = createPublisher({ redis, keyring });
  const owner = ownerName();
  const holding = await openHolding(context, config, owner);
  const sandbox = await openSandbox(context, config, serviceUser);
  const runPrepare = createRunPrepare(sandbox, log);
  const deps: Deps = {
    config,
    redis,
    keyring,
    publisher,
    catalog,
    log,
    metrics,
    cancels: createCancelBoard(),
    serviceUser,
    repositories,
    workspaces: createWorkspaces({ config, serviceUser, repositories, runPrepare }, signal),
    policies: served.policies,
    judge: createJudge(catalog),
    bodies: new Map([...TOOL_BODIES, ...gitTools(config), ...(await operatorBodies(operatorTools, config))]),
    ...holding,
    sandbox,
    owner,
  };
  const duties = startDuties(deps, signal);
  const consumes = { family: "executions", handlers: handlersOf(deps) } as const;
  const consumer = consume(context, consumes, context.consumeOptions(config.pool));
  return {
    consumers: [consumer],
    checks: [() => sandboxCheck(deps.sandbox), holding.durability.check],
    drain: duties.drain,
    async close() {
      served.close();
      await duties.done;
      await Promise.all([publisher.close(), holding.leases.close(), holding.durability.close()]);
    },
  };
}

function handlersOf(deps: Deps): Handlers<"executions"> {
  return {
    execution: (delivery) => onExecution(deps, delivery),
    resolution: (delivery) => onResolution(deps, delivery),
    preview: (delivery) => onPreview(deps, delivery),
  };
}

/** What goes on beside the calls: the pool hears of this executor, its volume is looked after, signals are obeyed. */
function startDuties(
  deps: Deps,
  signal: AbortSignal,
): { readonly drain: () => void; readonly done: Promise<unknown> } {
  const { redis, cancels, config } = deps;
  const { pool, workspaceMs } = config;
  const heartbeat = startHeartbeat(redis, { pool, id: deps.owner, host: hostname() }, signal);
  const sweeper = startVolumeSweeper(
    { ...deps, pool, volume: path.resolve(config.volume), workspaceMs },
    signal,
  );
  const watching = watchSignals(
    { redis, signal },
    { cancel: (run) => cancels.cancel(run), ended: (run) => sweeper.ended(run) },
  );
  return { drain: () => heartbeat.drain(), done: Promise.all([watching, sweeper.done, heartbeat.done]) };
}

function serviceUserOf(config: ExecutorConfig): ServiceUser | null {
  const [uid, gid] = config.serviceUser.split(":").map(Number);
  if (uid === undefined || gid === undefined) return defaultServiceUser(process.geteuid?.() ?? 0);
  return { uid, gid };
}
