import type { ErrorClass } from "../fault/index.ts";
import { isNormalEnd, type Outcome } from "../wire/index.ts";
import type { Accumulated, AccumulatedItem } from "./accumulate.ts";
import { isUnfinished } from "./contradictions.ts";
import { itemFlags } from "./flags.ts";
import type { TerminalItem } from "./reading.ts";

const REPLACEMENT_CHARACTER = "\uFFFD";

/** Ends the life of every item: terminal, or set aside for its own reason or for the response's. */
export function settleItems(
  state: Accumulated,
  outcome: Outcome,
  maxArgumentBytes: number,
): readonly TerminalItem[] {
  return [...state.items.values()].map((item) => settleItem(item, outcome, maxArgumentBytes));
}

export function settleItem(item: AccumulatedItem, outcome: Outcome, maxArgumentBytes: number): TerminalItem {
  const { kind, callId, name, argumentsKind } = item.finished ?? item;
  const server = item.finished?.server;
  const content = itemContent(item);
  const bytes = Buffer.byteLength(content, "utf8");
  const contentFault = kind === "tool_call" ? argumentFault(content, bytes, maxArgumentBytes) : null;
  const flags = itemFlags(item, content);
  const errorClass = ownFault(item) ?? contentFault ?? responseFault(item, outcome);
  return {
    ordinal: item.ordinal,
    kind,
    callId,
    name,
    ...(server === undefined ? {} : { server }),
    argumentsKind,
    content: contentFault === "ARGUMENTS_TOO_LARGE" ? "" : content,
    bytes,
    state: errorClass === null ? "ITEM_TERMINAL" : "QUARANTINED",
    errorClass,
    ...(flags.length === 0 ? {} : { flags }),
  };
}

/** What the finished item says, or else the whole argument text, or else what was streamed of it. */
export function itemContent(item: AccumulatedItem): string {
  return item.finished?.content ?? item.argumentText ?? item.fragments.join("");
}

function ownFault(item: AccumulatedItem): ErrorClass | null {
  return item.fault ?? (isUnfinished(item) ? "ITEM_INCOMPLETE" : null);
}

/** Faults of the content set aside this call only: who said what is not in doubt, so its siblings may run. */
function argumentFault(content: string, bytes: number, maxArgumentBytes: number): ErrorClass | null {
  if (bytes > maxArgumentBytes) return "ARGUMENTS_TOO_LARGE";
  // Some other program has already replaced bytes that it couldn't read.
  return content.includes(REPLACEMENT_CHARACTER) ? "BAD_UTF8" : null;
}

function responseFault(item: AccumulatedItem, outcome: Outcome): ErrorClass | null {
  if (!isNormalEnd(outcome)) return "RESPONSE_NOT_EXECUTABLE";
  return item.kind === "tool_call" && outcome.action !== "tool" ? "RESPONSE_NOT_EXECUTABLE" : null;
}
