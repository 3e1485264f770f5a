// A program in, a process that is kept running out. Gives up, and says why, where the program itself
// says that its configuration is unusable, or dies before it ever came up.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";

export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** takes stdout and stderr */
  readonly log: string;
}

export type ProcessState = "running" | "restarting" | "stopped" | "failed";
export type ProcessEvent =
  | { readonly type: "started"; readonly name: string }
  | { readonly type: "died"; readonly name: string; readonly how: string; readonly restartMs: number }
  /** `detail` is what it said last */
  | { readonly type: "gave_up"; readonly name: string; readonly how: string; readonly detail: string };

export interface Supervised {
  readonly name: string;
  pid(): number | null;
  state(): ProcessState;
  /** From now on a death is an accident, and mended. */
  markReady(): void;
  /** SIGTERM, and SIGKILL once the grace is over; resolves when the process is gone. */
  stop(graceMs: number): Promise<void>;
  kill(): void;
}

const UNUSABLE_CONFIGURATION = 2;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;
/** A process that lived longer than this begins with the first backoff again. */
const SETTLED_MS = 30_000;
const DETAIL_BYTES = 4_096;

export function supervise(program: Program, onEvent: (event: ProcessEvent) => void): Supervised {
  const { name } = program;
  let child: ChildProcess | null = null;
  let state: ProcessState = "restarting";
  let ready = false;
  let stopping = false;
  let backoffMs = FIRST_BACKOFF_MS;
  let timer: NodeJS.Timeout | null = null;

  const start = (): void => {
    const logged = sizeOf(program.log);
    const born = Date.now();
    const current = launch(program);
    child = current;
    state = "running";
    onEvent({ type: "started", name });
    let over = false;
    const end = (how: string, code: number | null): void => {
      if (over) return;
      over = true;
      child = null;
      if (stopping) return void (state = "stopped");
      if (!ready || code === UNUSABLE_CONFIGURATION) {
        state = "failed";
        return onEvent({ type: "gave_up", name, how, detail: lastWords(program.log, logged) });
      }
      backoffMs = Date.now() - born > SETTLED_MS ? FIRST_BACKOFF_MS : backoffMs;
      state = "restarting";
      onEvent({ type: "died", name, how, restartMs: backoffMs });
      timer = setTimeout(start, backoffMs);
      backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
    };
    current.once("error", (error) => end(error.message, null));
    current.once("exit", (code, signal) => end(signal ?? `exit code ${code}`, code));
  };
  start();

  return {
    name,
    pid: () => child?.pid ?? null,
    state: () => state,
    markReady: () => void (ready = true),
    async stop(graceMs) {
      stopping = true;
      if (timer !== null) clearTimeout(timer);
      if (child === null) return void (state = "stopped");
      await end(child, graceMs);
    },
    kill() {
      stopping = true;
      if (timer !== null) clearTimeout(timer);
      child?.kill("SIGKILL");
    },
  };
}

/** In a session of its own: a Ctrl-C in the terminal reaches `airlock up` alone, which then ends all in order. */
function launch(program: Program): ChildProcess {
  const log = openSync(program.log, "a", 0o600);
  try {
    return spawn(program.file, [...program.args], {
      env: { ...program.environment },
      stdio: ["ignore", log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function end(child: ChildProcess, graceMs: number): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
  });
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await gone;
  clearTimeout(timer);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written since `from` outside the JSON log: a service's own word on why it ended. */
function lastWords(file: string, from: number): string {
  const text = readFileSync(file).subarray(from).subarray(-DETAIL_BYTES).toString("utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"));
  return lines.slice(-12).join("\n");
}
