import { ERROR_CLASSES, isErrorClass } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import { readResponseId, readCall, readRun, type CallHash } from "@airlock/core/run";
import { itemDecisionSchema, markedItemDecisionSchema } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import { contentMark } from "./content-mark.ts";

/** Writes the one line of the item decision log, when the item's way has ended; `known` spares what was read before. */
export async function logSettledItem(
  deps: Deps,
  itemKey: string,
  known: { readonly call?: CallHash; readonly route?: string } = {},
): Promise<void> {
  const parts = parseItemKey(itemKey);
  if (parts === null) return;
  const [call, route, responseId, mark] = await Promise.all([
    known.call ?? readCall(deps.redis, itemKey),
    known.route ?? readRun(deps.redis, parts.run).then((run) => run?.route),
    readResponseId(deps.redis, parts),
    contentMark(deps, itemKey),
  ]);
  if (call === null) return;
  const state = call.settled ?? call.state;
  deps.metrics.count("airlock_calls_settled_total", { state });
  if (state === "QUARANTINED")
    deps.metrics.count("airlock_quarantines_total", { class: call.errorClass ?? "" });
  const line = itemDecisionSchema.parse({
    observed_at: new Date().toISOString(),
    run_id: parts.run,
    response_id: responseId,
    item_id: itemKey,
    model_route: route ?? "",
    stream_event: "item_finished",
    tool_name: call.tool,
    buffer_bytes: call.bytes,
    terminal_seen: call.errorClass !== "ITEM_INCOMPLETE",
    ...statuses(call),
    execution_state: state,
    duration_ms: call.durationMs ?? null,
    error_class: call.errorClass ?? null,
  });
  const marked = mark === undefined ? line : markedItemDecisionSchema.parse({ ...line, content_hmac: mark });
  deps.log.decision(marked);
  deps.keepDecision("item", marked);
}

function statuses(call: CallHash) {
  const errorClass = call.errorClass ?? "";
  const stage = isErrorClass(errorClass) ? ERROR_CLASSES[errorClass].stage : null;
  const judged = call.argumentsDigest !== undefined;
  return {
    json_status: judged || errorClass === "SCHEMA_VIOLATION" ? "valid" : stage === "json" ? "invalid" : null,
    trailing_data: errorClass === "JSON_TRAILING_DATA",
    schema_status: judged ? "valid" : errorClass === "SCHEMA_VIOLATION" ? "invalid" : null,
    policy_status: call.decision ?? null,
  };
}
