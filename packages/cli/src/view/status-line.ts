import type { QueueCount } from "../client/index.ts";
import type { PartStatus } from "../local/index.ts";
import type { Screen } from "./screen.ts";

/** `redis up · streamer waits for redis · …` */
export function partsText(screen: Screen, parts: readonly PartStatus[]): string {
  return parts.map((part) => `${part.name} ${partText(screen, part)}`).join(screen.style("dim", " · "));
}

function partText(screen: Screen, { process, readiness }: PartStatus): string {
  if (process !== "running") return screen.style("red", process);
  switch (readiness.status) {
    case "ready":
      return screen.style("green", "up");
    case "waiting":
      return screen.style("yellow", `waits for ${readiness.reasons.join(", ")}`);
    case "silent":
      return screen.style("yellow", "starting");
  }
}

/** `turns 0+1 · items 0+0`: waiting, then active. */
export function countsText(counts: {
  readonly queues: readonly QueueCount[];
  readonly openTurns: number;
}): string {
  const queues = counts.queues.map(({ queue, waiting, active }) => `${queue} ${waiting}+${active}`);
  return [`open turns ${counts.openTurns}`, ...queues].join(" · ");
}
