import { parentPort, workerData } from "node:worker_threads";
import { createLedger } from "@airlock/core/ledger";
import { connectRedis } from "@airlock/core/store";
import { killMarked } from "../sandbox/process-tree.ts";
import type { FromRenewer, RenewerData, ToRenewer } from "./messages.ts";
import { createRenewer } from "./renewer.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by leases.ts, in this process
const { redisUrl, progress } = workerData as RenewerData;
// the service's own connection reports an outage
const redis = connectRedis(redisUrl, { name: "airlock-executor-leases", onState: () => undefined });

const take = createRenewer({
  ledger: createLedger(redis),
  progress: new Int32Array(progress),
  kill: (marker) => killMarked(marker),
  onLost: (id) => tell({ type: "lost", id }),
});
parentPort?.on("message", (message: ToRenewer) => take(message));
tell({ type: "ready" });

function tell(message: FromRenewer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}
