import { RUN_CANCELLED } from "@airlock/core/queue";
import type { TransportEnd } from "@airlock/core/terminal";

export interface DeadlineTimes {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** what is left of the run's own time; null for no end */
  readonly runMs: number | null;
}

type Deadline = Extract<
  TransportEnd,
  | "connect_timeout"
  | "first_byte_timeout"
  | "idle_timeout"
  | "total_timeout"
  | "run_timeout"
  | "cancelled"
  | "shutdown"
>;

/** The deadlines of one response: one signal that aborts it, and which of them did. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** what aborted the response, or null */
  expired(): Deadline | null;
  /** the request goes out on its connection: from now on the first byte is waited for */
  connected(): void;
  /** whether it went out */
  readonly isConnected: boolean;
  /** bytes arrived: from now on silence is timed */
  alive(): void;
  clear(): void;
}

/** `stop` aborts because the run was cancelled, or because this process lets go of the response. */
export function createDeadlines(times: DeadlineTimes, stop: AbortSignal): Deadlines {
  const controller = new AbortController();
  let reason: Deadline | null = null;
  let isConnected = false;
  const expire = (deadline: Deadline): void => {
    reason ??= deadline;
    controller.abort();
  };
  const onStop = (): void => expire(stop.reason === RUN_CANCELLED ? "cancelled" : "shutdown");
  if (stop.aborted) onStop();
  else stop.addEventListener("abort", onStop, { once: true });
  const run = times.runMs === null ? undefined : setTimeout(expire, times.runMs, "run_timeout");
  const total = setTimeout(expire, times.totalMs, "total_timeout");
  let step = setTimeout(expire, times.connectMs, "connect_timeout");
  const next = (ms: number, deadline: Deadline): void => {
    clearTimeout(step);
    step = setTimeout(expire, ms, deadline);
  };
  return {
    signal: controller.signal,
    expired: () => reason,
    connected() {
      isConnected = true;
      next(times.firstByteMs, "first_byte_timeout");
    },
    get isConnected() {
      return isConnected;
    },
    alive: () => next(times.idleMs, "idle_timeout"),
    clear() {
      clearTimeout(run);
      clearTimeout(total);
      clearTimeout(step);
      stop.removeEventListener("abort", onStop);
    },
  };
}
