// Takes a person's signed order to stop something, or to let it go on, gives the switch that everybody reads; tells the
// audit of each order, whatever it changed.
import type { KillBody } from "@airlock/core/contract";
import { turnSwitch } from "@airlock/core/run";
import type { Deps } from "../deps.ts";

export async function onKill(deps: Deps, body: KillBody): Promise<void> {
  const { kind, target, id, requestedBy, reason } = body;
  await turnSwitch(deps.redis, { kind, target, id, by: requestedBy, reason });
  deps.log.write("warn", "kill_switch_turned", { state: kind, place: target });
}
