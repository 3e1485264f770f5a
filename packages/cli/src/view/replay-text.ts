import type { ReplayDocument, TimelineEntry } from "../replay/index.ts";
import { plainCell, type Screen } from "./screen.ts";
import { table } from "./table.ts";

const TONES = {
  delta: "dim",
  error: "red",
  ignored: "dim",
  plain: "reset",
  signal: "bold",
} as const satisfies Record<TimelineEntry["tone"], string>;

/** One replayed response for people: what came when, what became of each item, and how it ended. */
export function replayText(
  screen: Screen,
  { document, timeline }: { readonly document: ReplayDocument; readonly timeline: readonly TimelineEntry[] },
): string {
  return [
    ...(timeline.length > 0 ? [timelineTable(screen, timeline)] : []),
    ...(document.items.length > 0 ? [itemTable(screen, document)] : []),
    conclusion(screen, document),
  ].join("\n\n");
}

/** A folder's replays, one line each. */
export function replayListText(
  screen: Screen,
  documents: readonly (ReplayDocument & { readonly file: string })[],
): string {
  const rows = documents.map((document) => [
    plainCell(document.file),
    styledOutcome(screen, document),
    plainCell(document.raw ?? "-"),
    String(document.items.length),
    document.executable.join(", ") || "-",
    document.errorClass ?? "-",
  ]);
  return table(["FILE", "OUTCOME", "RAW", "ITEMS", "EXECUTABLE", "ERROR"], rows);
}

function timelineTable(screen: Screen, timeline: readonly TimelineEntry[]): string {
  const rows = timeline.map(({ at, messages, wireType, told, tone }) => [
    String(at),
    messages === 1 ? "" : `×${messages}`,
    plainCell(wireType) || "-",
    screen.style(TONES[tone], plainCell(told)),
  ]);
  return table(["BYTE", "", "MESSAGE", "TELLS"], rows);
}

function itemTable(screen: Screen, { items, executable }: ReplayDocument): string {
  const rows = items.map((item) => [
    String(item.ordinal),
    item.kind,
    plainCell(item.name ?? "-"),
    plainCell(item.callId ?? "-"),
    screen.style(item.state === "QUARANTINED" ? "yellow" : "green", item.state),
    executable.includes(item.ordinal) ? "yes" : "no",
    item.errorClass ?? "-",
    item.arguments === null ? "-" : plainCell(JSON.stringify(item.arguments)),
  ]);
  return table(["ITEM", "KIND", "NAME", "CALL ID", "STATE", "EXECUTABLE", "ERROR", "ARGUMENTS"], rows);
}

function conclusion(screen: Screen, document: ReplayDocument): string {
  const { transport } = document;
  const why = document.errorClass === null ? "" : screen.style("yellow", ` ${document.errorClass}`);
  return [
    `outcome    ${styledOutcome(screen, document)}${why}`,
    `signal     ${plainCell(document.raw ?? "none")}`,
    `response   ${plainCell(document.responseId ?? "no id")}`,
    `transport  ${transport.end}, ${transport.bytes} bytes, ${transport.messages} messages, ${transport.unknownEvents} not known`,
  ].join("\n");
}

function styledOutcome(screen: Screen, { outcome }: ReplayDocument): string {
  const normal = outcome === "candidate_complete" || outcome === "action_required";
  return screen.style(normal ? "green" : "yellow", outcome);
}
