import { randomUUID } from "node:crypto";
import { consume, createCancelBoard, createPublisher, watchCancels } from "@airlock/core/queue";
import { createRouteLimiter, createStreamerStore, rememberPieces } from "@airlock/core/run";
import { loadRoutes, loadTools, type RunningService, type ServiceContext } from "@airlock/core/runtime";
import { Agent } from "undici";
import { onTurn } from "./attempt/on-turn.ts";
import { streamerConfig } from "./config.ts";
import type { Deps } from "./deps.ts";

/** About as much as the longest conversation that may be. */
const REMEMBERED_LETTERS = 32 * 2 ** 20;

/** The streamer: it alone holds the API key, sends requests, and says how each response ended. */
export async function startStreamer(context: ServiceContext): Promise<RunningService> {
  const { redis, keyring, log, metrics, signal } = context;
  const config = streamerConfig();
  const publisher = createPublisher({ redis, keyring });
  const cancels = createCancelBoard();
  // the deadlines of each route hold, and no others
  const dispatcher = new Agent({ connectTimeout: 0, bodyTimeout: 0, headersTimeout: 0, maxResponseSize: -1 });
  const routes = loadRoutes(config.routes);
  metrics.allow("route", routes.keys());
  const deps: Deps = {
    config,
    redis,
    keyring,
    pieceOpener: rememberPieces(REMEMBERED_LETTERS),
    publisher,
    log,
    metrics,
    dispatcher,
    store: createStreamerStore(redis),
    routes,
    limiter: createRouteLimiter(redis),
    catalog: loadTools(config.tools).catalog,
    owner: randomUUID(),
    cancels,
  };
  const watching = watchCancels({ redis, signal }, (run) => cancels.cancel(run));
  const consumer = consume(
    context,
    { family: "turns", handlers: { turn: (delivery) => onTurn(deps, delivery) } },
    context.consumeOptions(""),
  );
  return {
    consumers: [consumer],
    async close() {
      await watching;
      await publisher.close();
      await dispatcher.close();
    },
  };
}
