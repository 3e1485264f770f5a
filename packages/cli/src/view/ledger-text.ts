import type { LedgerDocument } from "@airlock/operator/document";
import { plainCell, plainText, type Screen } from "./screen.ts";
import { styledItemState } from "./states.ts";
import { table } from "./table.ts";
import { ageText } from "./time-text.ts";

/** Calls of unknown outcome for people, one a line. */
export function ledgerListText(screen: Screen, calls: readonly LedgerDocument[], now: number): string {
  if (calls.length === 0) return "no call of unknown outcome";
  const rows = calls.map((call) => [
    call.itemKey,
    plainCell(call.tool),
    styledItemState(screen, call.state),
    call.unknownAt === null ? "-" : ageText(now - Date.parse(call.unknownAt)),
    hostOf(call.lost?.owner ?? call.owner),
    knownText(call),
  ]);
  return table(["ITEM", "TOOL", "STATE", "AGE", "STARTED ON", "KNOWN"], rows);
}

/** What is known of a call whose end nobody saw. */
function knownText({ state, evidence, probe }: LedgerDocument): string {
  if (evidence !== null) return `a result came too late: ${plainCell(evidence.status)}`;
  if (state !== "NEEDS_HUMAN") return "the executors are finding out";
  return probe ? "its probe could not tell" : "nothing: its tool has no probe";
}

/** All that the ledger has of one call, then the content that was asked for. */
export function ledgerText(screen: Screen, call: LedgerDocument): string {
  const { itemKey, state, lost, evidence, resolution, raw, ...facts } = call;
  const rows = Object.entries({
    ...facts,
    lost: lost && `fence ${lost.fence} of ${lost.owner}`,
    evidence: evidence && `${evidence.status}, under fence ${evidence.fence}, at ${evidence.at}`,
    resolution: resolution && `${resolution.finding}, by ${resolution.by}: ${resolution.reason}`,
    next:
      state === "NEEDS_HUMAN"
        ? `look what it did; then airlock ledger resolve ${itemKey} --done or --not-done, with a --reason`
        : null,
  }).flatMap(([name, value]: [string, string | number | boolean | null]) =>
    value === null ? [] : [[`  ${name}`, plainCell(String(value))]],
  );
  const head = `${screen.style("bold", itemKey)}  ${styledItemState(screen, state)}`;
  const content = Object.entries(raw ?? {}).map(
    ([name, text]: [string, string | null]) =>
      `${screen.style("bold", name)}\n${text === null ? "nothing is kept of it" : plainText(text)}`,
  );
  return [`${head}\n${table(rows[0] ?? [], rows.slice(1))}`, ...content].join("\n\n");
}

/** An owner's name begins with its host's. */
function hostOf(owner: string): string {
  return plainCell(owner.split("_")[0] ?? owner);
}
