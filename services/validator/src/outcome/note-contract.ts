import type { ResponseBody } from "@airlock/core/contract";
import { sendNotice } from "@airlock/core/queue";
import { attemptKey } from "@airlock/core/record";
import type { Deps } from "../deps.ts";
import { contractFinding } from "./contract-finding.ts";

/** Tells the route's breaker what a response showed: before anything follows, so that a fresh attempt meets it. */
export async function noteContract(deps: Deps, route: string, body: ResponseBody): Promise<void> {
  const change = await deps.breaker.note(route, attemptKey(body), contractFinding(body));
  if (change === "same") return;
  const { run, errorClass } = body;
  deps.metrics.count("airlock_route_breaker_total", { route, change });
  if (change === "closed") deps.log.write("info", "route_resumed", { route, run });
  else {
    deps.log.write("warn", "route_suspended", { route, run, errorClass });
    await sendNotice(deps.redis, { type: "route_suspended", route });
  }
}
