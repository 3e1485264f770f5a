import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FromRenewer, RenewerData, ToRenewer } from "./messages.ts";

/** The thread that renews. */
export interface LeaseThread {
  send(message: ToRenewer): void;
  close(): Promise<void>;
}

export interface LeaseThreadDeps extends RenewerData {
  readonly onLost: (id: number) => void;
  /** The thread died, and with it every lease that it kept; another one is started. */
  readonly onDeath: (error: unknown) => void;
}

/** Resolves once the thread takes leases; throws what kept it from that. */
export async function openLeaseThread(deps: LeaseThreadDeps): Promise<LeaseThread> {
  let closing = false;
  const first = start(deps);
  await once(first, "message");
  let thread = listen(first);
  function listen(worker: Worker): Worker {
    let cause: unknown = null;
    worker.on("message", (message: FromRenewer) => {
      if (message.type === "lost") deps.onLost(message.id);
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => {
      if (closing) return;
      deps.onDeath(cause);
      thread = listen(start(deps));
    });
    return worker;
  }
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    send: (message) => thread.postMessage(message),
    async close() {
      closing = true;
      await thread.terminate();
    },
  };
}

/** From built files as from sources; a thread of an older Node.js has no loader for these but the one that it registers. */
function start({ redisUrl, progress }: RenewerData): Worker {
  const workerData: RenewerData = { redisUrl, progress };
  const built = import.meta.url.endsWith(".js");
  const file = new URL(`./renewer-thread.${built ? "js" : "ts"}`, import.meta.url);
  const worker = built
    ? new Worker(file, { workerData })
    : new Worker(fromSource(file), { workerData, eval: true, execArgv: ["--conditions=source"] });
  worker.unref();
  return worker;
}

function fromSource(file: URL): string {
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(file)}); });`;
}
