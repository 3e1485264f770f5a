import { namesOf } from "@airlock/core/fault";
import {
  quarantineEntrySchema,
  type QuarantineDocument,
  type QuarantineEntry,
} from "@airlock/operator/document";
import { plainCell, plainText, type Screen } from "./screen.ts";
import { table } from "./table.ts";

const HEAD: ReadonlySet<string> = new Set(["id", "kind", "state"]);
const STATE_COLOURS = {
  open: "red",
  requeued: "cyan",
  abandoned: "dim",
  passed: "green",
} as const satisfies Record<QuarantineEntry["state"], Parameters<Screen["style"]>[0]>;

/** Refusals for people, one a line. */
export function quarantineListText(screen: Screen, entries: readonly QuarantineEntry[]): string {
  if (entries.length === 0) return "nothing is quarantined";
  const rows = entries.map((entry) => [
    entry.id,
    entry.kind,
    screen.style(STATE_COLOURS[entry.state], entry.state),
    entry.ended,
    entry.errorClass ?? "-",
    entry.rule ?? "-",
    entry.bytes === null ? "-" : String(entry.bytes),
    entry.lastEvent ?? "-",
    entry.transportEnd ?? "-",
    entry.rawUntil ?? "-",
  ]);
  return table(
    ["ID", "WHAT", "STATE", "ENDED", "ERROR", "RULE", "BYTES", "LAST EVENT", "CONNECTION", "CONTENT UNTIL"],
    rows,
  );
}

/** All that is known of some refusals, then what people did, then the content that was asked for. */
export function quarantineText(screen: Screen, document: QuarantineDocument): string {
  const { entries, actions, raw } = document;
  return [
    ...(entries.length === 0 ? ["nothing is quarantined"] : entries.map((entry) => entryText(screen, entry))),
    ...(actions.length === 0
      ? []
      : [
          table(
            ["AT", "BY", "ACTION", "ON", "ANSWER", "REASON"],
            actions.map(({ at, by, kind, target, answer, reason }) => [
              at,
              plainCell(by),
              kind,
              plainCell(target),
              answer,
              plainCell(reason),
            ]),
          ),
        ]),
    ...(raw ?? []).map(
      ({ id, content, note }) =>
        `${screen.style("bold", id)}\n${content === null ? note : plainText(content)}`,
    ),
  ].join("\n\n");
}

/** Named one by one, so that they stand in the same order wherever an entry comes from. */
const FACTS = namesOf(quarantineEntrySchema.shape).filter((name) => !HEAD.has(name));

function entryText(screen: Screen, entry: QuarantineEntry): string {
  const { id, kind, state } = entry;
  const rows = FACTS.flatMap((name) => {
    const value = entry[name];
    return value === null ? [] : [[`  ${name}`, plainCell(String(value))]];
  });
  const head = `${screen.style("bold", id)}  ${kind}  ${screen.style(STATE_COLOURS[state], state)}`;
  return `${head}\n${table(rows[0] ?? [], rows.slice(1))}`;
}
