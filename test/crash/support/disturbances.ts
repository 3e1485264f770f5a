import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessName } from "../../support/cell.ts";
import type { Random } from "../../support/random.ts";
import type { CrashCell } from "./crash-cell.ts";

const PROCESSES = [
  "streamer",
  "validator",
  "executor",
  "executor",
  "executor-2",
] as const satisfies readonly ProcessName[];
/** How many commands further at most: a process sends more than that for one run of the soak. */
const COMMANDS = 60;
/** Longer than the lease that a cell gives. */
const STALL_MS = 2_500;

/** What may happen to a cell; each leaves it whole again, and returns a name for it. */
const DISTURBANCES: readonly ((cell: CrashCell, random: Random) => Promise<string>)[] = [
  killBetweenSteps,
  killBetweenSteps,
  killBetweenSteps,
  stall,
  restartRedis,
];

export async function disturb(cell: CrashCell, random: Random): Promise<string> {
  return random.pick(DISTURBANCES)(cell, random);
}

/** SIGKILL before or after any one of the commands that the process says to Redis. */
async function killBetweenSteps(cell: CrashCell, random: Random): Promise<string> {
  const process = random.pick(PROCESSES);
  const moment = random.pick(["before", "after"] as const);
  const occurrence = 1 + random.below(COMMANDS);
  const downMs = random.below(1_500);
  await cell.killAt(process, { moment, command: /^/, occurrence });
  await sleep(downMs);
  await cell.start(process);
  return `${process} killed`;
}

/** The process stands still for longer than its leases last, and then goes on as if nothing had been. */
async function stall(cell: CrashCell, random: Random): Promise<string> {
  const process = random.pick(PROCESSES);
  await cell
    .proxyOf(process)
    .at({ moment: "after", command: /^/, occurrence: 1 + random.below(COMMANDS) }, async () => {
      cell.processOf(process)?.kill("SIGSTOP");
      await sleep(STALL_MS);
      cell.processOf(process)?.kill("SIGCONT");
      return "pass" as const;
    });
  return `${process} stalled`;
}

async function restartRedis(cell: CrashCell, random: Random): Promise<string> {
  await sleep(random.below(1_000));
  await cell.server.kill();
  await sleep(random.below(1_000));
  await cell.server.start();
  return "redis restarted";
}
