import type { RunningService, ServiceContext } from "@airlock/core/runtime";

/** The console: people and CI jobs reach Airlock over HTTP here, and nowhere else. */
export async function startConsole(_context: ServiceContext): Promise<RunningService> {
  return { consumers: [], close: async () => undefined };
}
