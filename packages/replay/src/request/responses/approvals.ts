import { accept, refuse, type Checked } from "../../refusal.ts";
import type { InputItem } from "./items.ts";

/** Checks that every hosted tool's request has exactly one answer after it, and that no answer stands alone. */
export function checkApprovals(items: readonly InputItem[]): Checked<null> {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === "mcp_approval_request") open.add(item.id);
    if (item.type !== "mcp_approval_response" || open.delete(item.approval_request_id)) continue;
    const fault = `no open request before this answer has the id ${item.approval_request_id}`;
    return refuse("invalid_request", fault, `input[${index}].approval_request_id`);
  }
  const [unanswered] = open;
  if (unanswered === undefined) return accept(null);
  return refuse("invalid_request", `no answer found for the approval request ${unanswered}`, "input");
}
