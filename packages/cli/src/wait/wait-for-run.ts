// A submitted run in, its ended document and exit code out, with each event and each thing that it waits for shown
// meanwhile; an interrupt or the time that was set ends the waiting, never the run.
import type { Backend } from "../backend/index.ts";
import { createItemBoard, runText, type Screen } from "../view/index.ts";
import { exitCodeOf, WAIT_ENDS } from "./exit-codes.ts";
import { newObstacleLines, obstacleLines } from "./obstacle-text.ts";
import { afterEvent, NO_OBSTACLES, type Obstacles } from "./obstacle.ts";

export interface Waiting {
  readonly backend: Backend;
  readonly id: string;
  /** null: as long as it takes */
  readonly timeoutMs: number | null;
  /** one JSON document on `out`, what it waits for on `errors` */
  readonly asJson: boolean;
  readonly out: Screen;
  readonly errors: Screen;
  readonly interrupted: AbortSignal;
}

/** Returns the exit code. */
export async function waitForRun(waiting: Waiting): Promise<number> {
  const { backend, id, timeoutMs, asJson, out, interrupted } = waiting;
  const timeout = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
  const signal = timeout === null ? interrupted : AbortSignal.any([interrupted, timeout]);
  const { ended, obstacles } = await follow(waiting, signal);
  if (!ended) leave(waiting, obstacles);
  if (interrupted.aborted) return WAIT_ENDS.interrupted.exitCode;
  const document = await backend.run(id);
  if (asJson) out.print(JSON.stringify(document));
  else if (ended) out.print(`\n${runText(out, document)}`);
  if (ended) return exitCodeOf(document.state);
  return WAIT_ENDS[obstacles.approvals.size > 0 ? "approval_awaited" : "timed_out"].exitCode;
}

async function follow(
  { backend, id, asJson, out, errors }: Waiting,
  signal: AbortSignal,
): Promise<{ readonly ended: boolean; readonly obstacles: Obstacles }> {
  const board = createItemBoard(out);
  const tell = (line: string): void =>
    asJson ? errors.print(line) : board.note(`  ${out.style("yellow", line)}`);
  let obstacles = NO_OBSTACLES;
  let ended = false;
  try {
    for await (const { event } of backend.follow(id, signal)) {
      if (!asJson) board.show(event);
      const after = afterEvent(obstacles, event);
      newObstacleLines(obstacles, after).forEach(tell);
      obstacles = after;
      ended = event.type === "run_ended";
    }
  } finally {
    board.close();
  }
  return { ended, obstacles };
}

function leave({ id, errors, interrupted }: Waiting, obstacles: Obstacles): void {
  const why = interrupted.aborted ? "" : ", since --wait-timeout is over";
  errors.print(`not waiting any more${why}; the run goes on: airlock show ${id}, airlock cancel ${id}`);
  for (const line of obstacleLines(obstacles)) errors.print(line);
}
