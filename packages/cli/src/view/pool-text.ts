import type { PoolDocument } from "@airlock/operator/document";
import { plainCell } from "./screen.ts";
import { table } from "./table.ts";

export function poolListText(pools: readonly PoolDocument[]): string {
  if (pools.length === 0) return "no pools: no executor has ever served one";
  const rows = pools.map(({ name, runs, executors }) => [
    plainCell(name),
    String(executors.filter(({ state }) => state === "live").length),
    String(executors.filter(({ state }) => state === "draining").length),
    String(runs),
    executors
      .map(({ seenAt }) => seenAt)
      .toSorted()
      .at(-1) ?? "-",
    [...new Set(executors.filter(({ state }) => state !== "silent").map(({ host }) => plainCell(host)))].join(
      ", ",
    ) || "-",
  ]);
  return table(["POOL", "LIVE", "DRAINING", "RUNS", "LAST SEEN", "HOSTS"], rows);
}
