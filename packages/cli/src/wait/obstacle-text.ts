import { plainCell } from "../view/index.ts";
import type { Obstacles } from "./obstacle.ts";

/** One line for each thing that a run waits for, with the command that tells more or settles it. */
export function obstacleLines({ approvals, pool, route }: Obstacles): readonly string[] {
  return [
    ...[...approvals].map(
      ([itemKey, tool]) =>
        `${plainCell(tool)} waits for a person: airlock approvals show ${itemKey}; then approve or deny it`,
    ),
    ...(pool ? ["waits for an executor: airlock pools"] : []),
    ...(route === null ? [] : [`waits for route ${plainCell(route)}, which is suspended: airlock routes`]),
  ];
}

/** The lines that were not there before. */
export function newObstacleLines(before: Obstacles, after: Obstacles): readonly string[] {
  const known = new Set(obstacleLines(before));
  return obstacleLines(after).filter((line) => !known.has(line));
}
