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

export type AfterDeath =
  | { readonly kind: "give_up" }
  | { readonly kind: "restart"; readonly afterMs: number };

/** A program that never came up, or says that its configuration is unusable, would only die again. */
export function afterDeath(death: {
  readonly ready: boolean;
  readonly code: number | null;
  readonly livedMs: number;
  readonly lastBackoffMs: number | null;
}): AfterDeath {
  if (!death.ready || death.code === UNUSABLE_CONFIGURATION) return { kind: "give_up" };
  const again = death.lastBackoffMs !== null && death.livedMs < SETTLED_MS;
  const afterMs = again ? Math.min((death.lastBackoffMs ?? 0) * 2, LONGEST_BACKOFF_MS) : FIRST_BACKOFF_MS;
  return { kind: "restart", afterMs };
}

interface Watch {
  child: ChildProcess | null;
  state: ProcessState;
  ready: boolean;
  stopping: boolean;
  backoffMs: number | null;
  timer: NodeJS.Timeout | null;
}

export function supervise(program: Program, onEvent: (event: ProcessEvent) => void): Supervised {
  const watch: Watch = {
    child: null,
    state: "restarting",
    ready: false,
    stopping: false,
    backoffMs: null,
    timer: null,
  };
  start(program, watch, onEvent);
  const stopRestarts = (): void => {
    watch.stopping = true;
    if (watch.timer !== null) clearTimeout(watch.timer);
  };
  return {
    name: program.name,
    pid: () => watch.child?.pid ?? null,
    state: () => watch.state,
    markReady: () => {
      watch.ready = true;
    },
    async stop(graceMs) {
      stopRestarts();
      if (watch.child !== null) await end(watch.child, graceMs);
      watch.state = "stopped";
    },
    kill() {
      stopRestarts();
      watch.child?.kill("SIGKILL");
    },
  };
}

function start(program: Program, watch: Watch, onEvent: (event: ProcessEvent) => void): void {
  const { name } = program;
  const logged = sizeOf(program.log);
  const born = Date.now();
  const child = launch(program);
  watch.child = child;
  watch.state = "running";
  onEvent({ type: "started", name });
  const over = (how: string, code: number | null): void => {
    if (watch.child !== child) return;
    watch.child = null;
    if (watch.stopping) return;
    const { ready, backoffMs } = watch;
    const next = afterDeath({ ready, code, livedMs: Date.now() - born, lastBackoffMs: backoffMs });
    if (next.kind === "give_up") {
      watch.state = "failed";
      return onEvent({ type: "gave_up", name, how, detail: lastWords(program.log, logged) });
    }
    watch.state = "restarting";
    watch.backoffMs = next.afterMs;
    onEvent({ type: "died", name, how, restartMs: next.afterMs });
    watch.timer = setTimeout(() => start(program, watch, onEvent), next.afterMs);
  };
  child.once("error", (error) => over(error.message, null));
  child.once("exit", (code, signal) => over(signal ?? `exit code ${code}`, code));
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
