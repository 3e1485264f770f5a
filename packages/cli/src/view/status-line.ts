import type { QueueCount } from "@airlock/core/queue";
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

/** `2 runs open · items 1 waiting 2 active`: queues with nothing in them are left out. */
export function countsText(counts: {
  readonly queues: readonly QueueCount[];
  readonly openTurns: number;
}): string {
  const busy = counts.queues.flatMap(({ queue, waiting, active }) =>
    waiting + active === 0 ? [] : [`${queue} ${waiting} waiting ${active} active`],
  );
  // a run has one open turn at a time
  return [`${counts.openTurns} runs open`, ...(busy.length > 0 ? busy : ["queues empty"])].join(" · ");
}
