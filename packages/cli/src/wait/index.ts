export { exitCodeOf, exitCodes, WAIT_ENDS } from "./exit-codes.ts";
export { afterEvent, NO_OBSTACLES } from "./obstacle.ts";
export { obstacleLines } from "./obstacle-text.ts";
export { waitForRun } from "./wait-for-run.ts";
