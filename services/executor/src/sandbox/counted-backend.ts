// A sandbox in, the same sandbox out, with each program counted that ran in it or was refused.
import { assertNever } from "@airlock/core/fault";
import type { Metrics } from "@airlock/core/runtime";
import type { BackendName, SandboxBackend, SandboxResult } from "./backend.ts";

export function countedBackend(backend: SandboxBackend, metrics: Pick<Metrics, "count">): SandboxBackend {
  return {
    ...backend,
    async open(workspace, limits) {
      const session = await backend.open(workspace, limits);
      return {
        ...session,
        async exec(request, signal) {
          const result = await session.exec(request, signal);
          countResult(metrics, backend.name, result.kind);
          return result;
        },
      };
    },
  };
}

function countResult(
  metrics: Pick<Metrics, "count">,
  backend: BackendName,
  result: SandboxResult["kind"],
): void {
  switch (result) {
    case "exited":
    case "timeout":
    case "cancelled":
    case "output_limit":
    case "unknown":
      return metrics.count("airlock_sandbox_starts_total", { backend, result });
    case "command_not_found":
    case "path_refused":
    case "fence_lost":
    case "sandbox_failed":
      return metrics.count("airlock_sandbox_refusals_total", { reason: result });
    default:
      return assertNever(result);
  }
}
