// Takes a settled request for approval of a hosted tool, gives the one entry that answers it; approves only by what people
// signed, judged once more here: what the call's own record says of it can only refuse.
import { itemBodySchema, parseBody } from "@airlock/core/contract";
import { ownCallOf, parseItemKey, verifyRecord } from "@airlock/core/record";
import { readItem, type CallHash } from "@airlock/core/run";
import { isHostedTool } from "@airlock/core/tool";
import type { ConversationEntry } from "@airlock/core/wire";
import { approvalOf } from "../approval/approval-of.ts";
import { askingOf } from "../approval/asking-of.ts";
import type { Deps } from "../deps.ts";
import { admittedRun } from "../release/admitted-run.ts";
import { decideAgain } from "../release/release-call.ts";

interface Settled {
  readonly itemKey: string;
  readonly call: CallHash | null;
}

/** The id that an item has to be answered by, as its streamer signed it; null for a call, which gets a result. */
export async function hostedRequest(deps: Deps, { itemKey, call }: Settled): Promise<string | null> {
  const named = call !== null && (isHostedTool(call.tool) || call.tool === "(unregistered)");
  const stored = named && ownCallOf(itemKey) === null ? await readItem(deps.redis, itemKey) : null;
  if (stored === null) return null;
  const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
  return item.kind === "approval_request" ? item.callId : null;
}

export async function hostedAnswer(
  deps: Deps,
  { itemKey, call, requestId }: Settled & { readonly requestId: string },
): Promise<ConversationEntry> {
  const approve = call?.settled === "POLICY_APPROVED" && (await isApproved(deps, itemKey, call));
  return { type: "hosted_answer", itemKey, requestId, approve };
}

async function isApproved(deps: Deps, itemKey: string, call: CallHash): Promise<boolean> {
  const run = await admittedRun(deps, parseItemKey(itemKey)?.run ?? "");
  if (run === null) return false;
  const asking = askingOf(deps, run, { call, judged: await decideAgain(deps, run, itemKey) });
  if (asking === null || !isHostedTool(asking.grantable.tool)) return false;
  return (await approvalOf(deps, { itemKey, run, call }, asking)) !== null;
}
