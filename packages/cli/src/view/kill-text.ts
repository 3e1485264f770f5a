import type { KillSwitch } from "@airlock/core/run";
import { plainCell } from "./screen.ts";
import { table } from "./table.ts";

export function killListText(switches: readonly KillSwitch[]): string {
  if (switches.length === 0) return "nothing is stopped";
  const rows = switches.map(({ target, by, reason, at }) => [
    plainCell(target),
    plainCell(by),
    new Date(at).toISOString(),
    plainCell(reason),
  ]);
  return table(["STOPPED", "BY", "SINCE", "WHY"], rows);
}
