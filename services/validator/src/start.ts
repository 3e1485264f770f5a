import { hostname } from "node:os";
import { consume, createPublisher, parkedJobs, type Delivery } from "@airlock/core/queue";
import { createRouteBreaker, createValidatorStore } from "@airlock/core/run";
import {
  decisionKeeper,
  loadCorrelationKey,
  loadRoutes,
  loadTools,
  servePolicies,
  showInstallation,
  trustApprovers,
  type RunningService,
  type ServiceContext,
} from "@airlock/core/runtime";
import { connectRedis } from "@airlock/core/store";
import { createJudge } from "@airlock/core/verdict";
import { onCommand } from "./admission/on-command.ts";
import { onAsk } from "./approval/on-ask.ts";
import { watchRemoved } from "./approval/sweep-approvals.ts";
import { breakerSettings, validatorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { onResponse } from "./outcome/on-response.ts";
import { onResult } from "./settlement/on-result.ts";
import { runSweeper } from "./sweep/sweeper.ts";
import { onItem } from "./verdict/on-item.ts";

/** The validator: the hub that admits runs, judges items, grants calls, and decides every next attempt and turn. */
export async function startValidator(context: ServiceContext): Promise<RunningService> {
  const { redis, log, metrics } = context;
  const config = validatorConfig();
  const keyring = trustApprovers(context.keyring, config.approvers);
  const { catalog } = loadTools(config.tools);
  const served = servePolicies(config.policies, { catalog, log, metrics });
  const publisher = createPublisher({ redis, keyring });
  const routes = loadRoutes(config.routes);
  metrics.allow("route", routes.keys());
  const figures = openFigures(context, config.metricsRedisUrl);
  const deps: Deps = {
    config,
    redis,
    keyring,
    publisher,
    asks: parkedJobs(redis, "approvals"),
    catalog,
    log,
    metrics,
    store: createValidatorStore(redis, { keepMs: config.runMs }),
    routes,
    breaker: createRouteBreaker(redis, breakerSettings(config)),
    policies: served.policies,
    judge: createJudge(catalog),
    keepDecision: decisionKeeper(redis, context.config.toolCategories),
    correlationKey: loadCorrelationKey(config.correlationKey),
  };
  const consumers = consumeAll(context, deps);
  const sweeping = runSweeper(deps, `${hostname()}-${process.pid}`, context.signal);
  const watching = watchRemoved(deps, context.signal);
  return {
    consumers,
    async close() {
      served.close();
      await Promise.all([sweeping, watching]);
      await deps.asks.close();
      await publisher.close();
      figures.close();
    },
  };
}

/** The figures of the whole installation, read by a user of its own where there is one. */
function openFigures({ redis, metrics, log }: ServiceContext, url: string): { readonly close: () => void } {
  if (url === "") {
    showInstallation(redis, metrics);
    return { close: () => undefined };
  }
  const own = connectRedis(url, {
    name: "airlock-metrics",
    onState: (state) => log.write(state === "up" ? "info" : "warn", `redis_${state}`, { place: "metrics" }),
  });
  showInstallation(own, metrics);
  return { close: () => own.disconnect() };
}

function consumeAll(context: ServiceContext, deps: Deps): RunningService["consumers"] {
  const options = context.consumeOptions("");
  const commands = { command: (delivery: Delivery<"command">) => onCommand(deps, delivery) };
  const items = {
    item: (delivery: Delivery<"item">) => onItem(deps, delivery),
    response: (delivery: Delivery<"response">) => onResponse(deps, delivery),
  };
  const approvals = { ask: (delivery: Delivery<"ask">) => onAsk(deps, delivery) };
  const results = { result: (delivery: Delivery<"result">) => onResult(deps, delivery) };
  return [
    consume(context, { family: "commands", handlers: commands }, options),
    consume(context, { family: "items", handlers: items }, options),
    consume(context, { family: "approvals", handlers: approvals }, options),
    consume(context, { family: "results", handlers: results }, options),
  ];
}
