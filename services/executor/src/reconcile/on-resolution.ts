// Takes the validator's signed order with a person's finding, gives the call that end in the ledger, and the answer to the
// person; changes nothing of a call that waits for nobody.
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import type { Deps } from "../deps.ts";

export async function onResolution(deps: Deps, { body }: Delivery<"resolution">): Promise<Handled> {
  const { pool: _, ...resolution } = body;
  const { itemKey, finding, by, reason } = resolution;
  const done = await deps.ledger.resolve(itemKey, { finding, by, reason });
  deps.log.write("info", "call_resolved", { itemKey, state: done ? finding : "stale" });
  const answer = { ...resolution, kind: "resolved", done } as const;
  await deps.publisher.publish(deps.publisher.sign({ purpose: "result", body: answer }));
  return DONE;
}
