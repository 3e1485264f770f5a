import type { ResponseBody } from "@airlock/core/contract";
import { itemKey, ownCallKey } from "@airlock/core/record";

/** The calls that a response had, and those that the validator made of its output. */
export function callKeys(body: ResponseBody): readonly string[] {
  const asked = body.items
    .filter(({ kind }) => kind === "tool_call")
    .map(({ ordinal }) => itemKey({ ...body, ordinal }));
  const own = [ownCallKey(body, "check"), ownCallKey(body, "apply")];
  return [...asked, ...(body.outcome.kind === "candidate_complete" ? own : [])];
}
