import { AirlockError } from "@airlock/core/fault";
import {
  loadKeyring,
  loadRoutes,
  loadTools,
  trustApprovers,
  type RunningService,
  type ServiceContext,
} from "@airlock/core/runtime";
import { createApp } from "./app.ts";
import { createAudit } from "./audit/index.ts";
import { consoleConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { loadUsers } from "./identity/index.ts";
import { loadWebhooks, startNotifier } from "./notify/index.ts";
import { createSessions } from "./session/index.ts";

/** The console: people and CI jobs reach Airlock over HTTP here, and nowhere else. */
export async function startConsole(context: ServiceContext): Promise<RunningService> {
  const { redis, log, metrics, signal } = context;
  const config = consoleConfig();
  const keyring = trustApprovers(context.keyring, config.approvers);
  const users = loadUsers(config.users);
  const webhooks = loadWebhooks(config.webhooks);
  const deps: Deps = {
    config,
    redis,
    keyring,
    approver: loadKeyring(config.approverKeyring, "approver"),
    access: { redis, keyring },
    users,
    sessions: createSessions(redis, { ...config, users }),
    audit: createAudit(redis),
    routes: loadRoutes(config.routes),
    catalog: loadTools(config.tools).catalog,
    log,
    metrics,
  };
  const app = await createApp(deps);
  const { consoleHost: host, consolePort: port } = config;
  const place = await app.listen({ host, port }).catch((cause: unknown) => {
    const fix = "set AIRLOCK_CONSOLE_PORT to another port, or to 0";
    throw new AirlockError("PORT_IN_USE", `${host}:${port} can't be opened; ${fix}`, { cause });
  });
  log.write("info", "console_serving", { place });
  const notifying = startNotifier({ ...deps, webhooks, origin: config.consoleOrigin[0] ?? place }, signal);
  return {
    consumers: [],
    async close() {
      await app.close();
      await notifying;
    },
  };
}
