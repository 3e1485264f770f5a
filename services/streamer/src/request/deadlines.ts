import type { TransportEnd } from "@airlock/core/terminal";

export interface DeadlineTimes {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

type Deadline = Extract<
  TransportEnd,
  "connect_timeout" | "first_byte_timeout" | "idle_timeout" | "total_timeout" | "cancelled"
>;

/** The deadlines of one response: one signal that aborts it, and which of them did. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** what aborted the response, or null */
  expired(): Deadline | null;
  /** headers arrived: from now on the first byte is waited for */
  connected(): void;
  /** bytes arrived: from now on silence is timed */
  alive(): void;
  clear(): void;
}

export function createDeadlines(times: DeadlineTimes, cancel: AbortSignal): Deadlines {
  const controller = new AbortController();
  let reason: Deadline | null = null;
  const expire = (deadline: Deadline): void => {
    reason ??= deadline;
    controller.abort();
  };
  const onCancel = (): void => expire("cancelled");
  if (cancel.aborted) onCancel();
  else cancel.addEventListener("abort", onCancel, { once: true });
  const total = setTimeout(expire, times.totalMs, "total_timeout");
  let step = setTimeout(expire, times.connectMs, "connect_timeout");
  const next = (ms: number, deadline: Deadline): void => {
    clearTimeout(step);
    step = setTimeout(expire, ms, deadline);
  };
  return {
    signal: controller.signal,
    expired: () => reason,
    connected: () => next(times.firstByteMs, "first_byte_timeout"),
    alive: () => next(times.idleMs, "idle_timeout"),
    clear() {
      clearTimeout(total);
      clearTimeout(step);
      cancel.removeEventListener("abort", onCancel);
    },
  };
}
