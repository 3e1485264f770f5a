// Takes a signed item record from the queue, gives the call's verdict and decision as early as possible;
// it releases nothing but calls that read, where the route lets them run before the response's own record.
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { itemKey } from "@airlock/core/record";
import { readAdmitted } from "../admission/read-admitted.ts";
import type { Deps } from "../deps.ts";
import { releaseEarly } from "../release/release-early.ts";
import { judgeItem } from "./judge-item.ts";

export async function onItem(deps: Deps, { body }: Delivery<"item">): Promise<Handled> {
  if (body.kind !== "tool_call") return DONE;
  const run = await readAdmitted(deps, body.run);
  if (run === null || run.endedAt !== undefined) return DONE;
  await judgeItem(deps, run, itemKey(body));
  if (body.adapter !== undefined) await releaseEarly(deps, body);
  return DONE;
}
