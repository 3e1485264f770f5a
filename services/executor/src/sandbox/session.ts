import type { BackendName, SandboxRequest, SandboxResult, SandboxSession } from "./backend.ts";

/** A session over one way to run a program; closing it stops what runs, and waits for that. */
export function createSession(
  backend: BackendName,
  run: (request: SandboxRequest, signal: AbortSignal) => Promise<SandboxResult>,
): SandboxSession {
  const closing = new AbortController();
  const running = new Set<Promise<SandboxResult>>();
  return {
    backend,
    exec(request, signal) {
      const result = run(request, AbortSignal.any([signal, closing.signal]));
      running.add(result);
      return result.finally(() => running.delete(result));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}
