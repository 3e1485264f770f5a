import type { RunEvent } from "@airlock/core/contract";
import { assertNever } from "@airlock/core/fault";
import { plainCell, type Screen } from "./screen.ts";
import { styledItemState, styledRunState } from "./states.ts";

/** One event in words. `path` are the states that the item went through, the new one last. */
export function eventLine(screen: Screen, event: RunEvent, path: readonly string[] = []): string {
  switch (event.type) {
    case "run_admitted":
      return `run admitted: route ${event.route}, model ${plainCell(event.model)}`;
    case "attempt_opened": {
      const why = event.reason === null ? "" : `, because the last one ended with ${event.reason}`;
      return `turn ${event.turn}: attempt ${event.attempt} asked for${why}`;
    }
    case "attempt_parked":
      return `turn ${event.turn}: attempt ${event.attempt} waits, because route ${event.route} is suspended`;
    case "attempt_begun":
      return `turn ${event.turn}: attempt ${event.attempt} streams`;
    case "attempt_committed":
      return committedLine(screen, event);
    case "item_state":
      return itemLine(screen, event, path.length > 0 ? path : [event.state]);
    case "approval_requested": {
      const people = event.quorum === 1 ? "a person" : `${event.quorum} people`;
      return `call ${placeOf(event)}: ${plainCell(event.tool)} waits for ${people} until ${new Date(event.expiresAt).toISOString()} (risk ${event.risk})`;
    }
    case "approval_unsigned":
      return `call ${placeOf(event)}: promoted without enough signed approvals; it waits on`;
    case "approval_answered": {
      const missing = event.missing === 0 ? "" : `, ${event.missing} more needed`;
      const said = event.answer === "approve" ? "approved" : "denied";
      return `call ${placeOf(event)}: ${said} by ${plainCell(event.by)}${missing}`;
    }
    case "run_bound":
      return `run bound to pool ${event.pool}`;
    case "pool_awaited":
      return "a call is due, and no pool has a live executor: the run waits";
    case "turn_closed":
      return `turn ${event.turn}: closed`;
    case "cancel_requested":
      return `cancel requested by ${plainCell(event.by)}`;
    case "call_resolved":
      return `call ${placeOf(event)}: found ${event.finding} by ${plainCell(event.by)}`;
    case "run_requeued":
      return `run requeued by ${plainCell(event.by)}: turn ${event.turn} goes on`;
    case "run_abandoned":
      return `run abandoned by ${plainCell(event.by)}`;
    case "run_ended":
      return `run ended: ${styledRunState(screen, event.state)}${event.errorClass === null ? "" : ` (${event.errorClass})`}`;
    default:
      return assertNever(event);
  }
}

function placeOf({ itemKey }: { readonly itemKey: string }): string {
  return itemKey.slice(itemKey.indexOf(".") + 1);
}

function committedLine(screen: Screen, event: Extract<RunEvent, { type: "attempt_committed" }>): string {
  const raw = event.raw === null ? "no closing signal" : plainCell(event.raw);
  const failed = event.errorClass === null ? "" : screen.style("yellow", ` ${event.errorClass}`);
  const flags = event.flags === undefined ? "" : `, flagged ${event.flags.join(", ")}`;
  return `turn ${event.turn}: attempt ${event.attempt} ended: ${event.outcome} (${raw}), ${event.items} items${flags}${failed}`;
}

/** `  1.1.2 write_file  ITEM_TERMINAL → … → EXECUTED (128 bytes)` */
export function itemLine(
  screen: Screen,
  event: Extract<RunEvent, { type: "item_state" }>,
  path: readonly string[],
): string {
  const [, ...place] = event.itemKey.split(".");
  const states = path.map((state) => styledItemState(screen, state)).join(screen.style("dim", " → "));
  const bytes = event.bytes === null ? null : `${event.bytes} bytes`;
  const notes = [event.errorClass, event.rule, bytes, ...(event.flags ?? [])];
  const note = notes.filter((part) => part !== null).join(", ");
  const name = event.tool === null ? "call" : plainCell(event.tool);
  return `  ${place.join(".")} ${screen.style("bold", name)}  ${states}${note === "" ? "" : screen.style("dim", ` (${note})`)}`;
}
