import { parseStrictJson } from "@airlock/core/json";
import type { ResponseReading, TerminalItem } from "@airlock/core/terminal";
import { formatRawSignal } from "@airlock/core/wire";
import type { Expected, ExpectedCall } from "./corpus.ts";

/** A recorded conversation expects what any of its responses asked for, under the first one's id. */
export function conclude(readings: readonly ResponseReading[]): Expected {
  const items = readings.flatMap((reading) => reading.items);
  const outcomes = readings.map((reading) => reading.outcome.kind);
  const [first] = readings;
  return {
    raw: first?.raw ? formatRawSignal(first.raw) : "",
    outcome: outcomes.find((kind) => kind === "action_required") ?? outcomes[0] ?? "",
    responseId: first?.responseId ?? "",
    calls: items.filter((item) => item.kind === "tool_call").map((item) => call(item)),
    // The recordings count a hosted tool that asks for approval among the provider's items.
    providerExecuted: items.filter(
      (item) => item.kind === "provider_executed" || item.kind === "approval_request",
    ).length,
  };
}

function call(item: TerminalItem): ExpectedCall {
  const kind = item.argumentsKind ?? "json";
  return {
    callId: item.callId,
    name: item.name ?? "",
    kind,
    arguments: kind === "text" ? item.content : parsed(item.content),
  };
}

function parsed(text: string): unknown {
  const result = parseStrictJson(text, { maxBytes: 2 ** 20, maxDepth: 64, topLevel: "object" });
  return result.ok ? (JSON.parse(text) as unknown) : result.errorClass;
}

export function split(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...cuts.toSorted((left, right) => left - right), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index] ?? 0, edge));
}
