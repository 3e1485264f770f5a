import { hostname } from "node:os";
import { consume, createPublisher } from "@airlock/core/queue";
import { createValidatorStore } from "@airlock/core/run";
import {
  loadPolicyProfiles,
  loadRoutes,
  type RunningService,
  type ServiceContext,
} from "@airlock/core/runtime";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { onCommand } from "./admission/on-command.ts";
import { validatorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { onResponse } from "./outcome/on-response.ts";
import { onResult } from "./settlement/on-result.ts";
import { runSweeper } from "./sweep/sweeper.ts";
import { onItem } from "./verdict/on-item.ts";

/** The validator: the hub that admits runs, judges items, grants calls, and decides every next attempt and turn. */
export async function startValidator(context: ServiceContext): Promise<RunningService> {
  const { redis, keyring, log, metrics } = context;
  const config = validatorConfig();
  const catalog = createCatalog(BUILTIN_MANIFESTS);
  const publisher = createPublisher({ redis, keyring });
  const deps: Deps = {
    config,
    redis,
    keyring,
    publisher,
    catalog,
    log,
    metrics,
    store: createValidatorStore(redis),
    routes: loadRoutes(config.routes),
    policies: loadPolicyProfiles(config.policies),
    judge: createJudge(catalog),
  };
  const options = context.consumeOptions(config.pool);
  const consumers = [
    consume(
      context,
      { family: "commands", handlers: { command: (delivery) => onCommand(deps, delivery) } },
      options,
    ),
    consume(
      context,
      {
        family: "items",
        handlers: {
          item: (delivery) => onItem(deps, delivery),
          response: (delivery) => onResponse(deps, delivery),
        },
      },
      options,
    ),
    consume(
      context,
      { family: "results", handlers: { result: (delivery) => onResult(deps, delivery) } },
      options,
    ),
  ];
  const sweeping = runSweeper(deps, `${hostname()}-${process.pid}`, context.signal);
  return {
    consumers,
    async close() {
      await sweeping;
      await publisher.close();
    },
  };
}
