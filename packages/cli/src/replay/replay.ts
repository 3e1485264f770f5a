// Takes recorded bytes and the tools that count as registered, gives the one document about them; refuses to let
// anything of a recording count unless every response in it ended normally.
import type { ResponseReading } from "@airlock/core/terminal";
import { formatRawSignal, isNormalEnd } from "@airlock/core/wire";
import type { ReplayDocument, ReplayItem } from "./replay-document.ts";
import { replayItem, type Registered } from "./replay-item.ts";
import { readResponses, type ReplayOptions } from "./read-responses.ts";

export function replay(
  bytes: Uint8Array,
  options: ReplayOptions & { readonly tools: Registered },
): ReplayDocument {
  const readings = readResponses(bytes, options);
  const failed = readings.find((reading) => !isNormalEnd(reading.outcome));
  const deciding = failed ?? readings.find(({ outcome }) => outcome.action !== null) ?? readings[0];
  const read = readings.flatMap((reading) => itemsOf(reading, options.tools));
  const items = read.map(({ item }, ordinal) => ({
    ...(failed === undefined ? item : setAside(item)),
    ordinal,
  }));
  const runs = (_item: ReplayItem, at: number): boolean => failed === undefined && read[at]?.runs === true;
  return {
    family: options.family,
    raw: deciding?.raw ? formatRawSignal(deciding.raw) : null,
    outcome: deciding?.outcome.kind ?? "indeterminate",
    responseId: readings[0]?.responseId ?? null,
    items,
    executable: items.filter((item, at) => runs(item, at)).map(({ ordinal }) => ordinal),
    transport: transportOf(readings),
    errorClass: deciding?.errorClass ?? null,
  };
}

interface ReadItem {
  readonly item: ReplayItem;
  readonly runs: boolean;
}

function itemsOf({ items, outcome }: ResponseReading, tools: Registered): readonly ReadItem[] {
  return items.map((terminal) => {
    const item = replayItem(terminal, tools);
    const runs = outcome.action === "tool" && item.kind === "tool_call" && item.state === "ITEM_TERMINAL";
    return { item, runs };
  });
}

/** An item of a response that did end normally, beside one that did not. */
function setAside(item: ReplayItem): ReplayItem {
  if (item.state === "QUARANTINED") return item;
  return { ...item, state: "QUARANTINED", errorClass: "RESPONSE_NOT_EXECUTABLE" };
}

function transportOf(readings: readonly ResponseReading[]): ReplayDocument["transport"] {
  const transports = readings.map(({ transport }) => transport);
  const sum = (field: "bytes" | "messages" | "unknownEvents"): number =>
    transports.reduce((total, transport) => total + transport[field], 0);
  return {
    end: transports.at(-1)?.end ?? "clean",
    bytes: sum("bytes"),
    messages: sum("messages"),
    unknownEvents: sum("unknownEvents"),
  };
}
