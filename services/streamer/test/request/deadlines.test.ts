import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RUN_CANCELLED } from "@airlock/core/queue";
import { createDeadlines, type Deadlines } from "../../src/request/deadlines.ts";

const times = { connectMs: 10, firstByteMs: 50, idleMs: 20, totalMs: 200, runMs: null };
let cancel: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  cancel = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(): Deadlines {
  return createDeadlines(times, cancel.signal);
}

test.each<[string, (deadlines: Deadlines) => void, number, string]>([
  ["connecting takes too long", () => undefined, 10, "connect_timeout"],
  ["the first byte doesn't come", (deadlines) => deadlines.connected(), 50, "first_byte_timeout"],
  [
    "the stream falls silent",
    (deadlines) => {
      deadlines.connected();
      deadlines.alive();
    },
    20,
    "idle_timeout",
  ],
])("when %s, the signal aborts at that moment and says so", (_, step, ms, reason) => {
  const deadlines = start();
  step(deadlines);
  vi.advanceTimersByTime(ms - 1);
  expect([deadlines.signal.aborted, deadlines.expired()]).toEqual([false, null]);
  vi.advanceTimersByTime(1);
  expect([deadlines.signal.aborted, deadlines.expired()]).toEqual([true, reason]);
});

test("every byte starts the wait for the next one, but none moves the total", () => {
  const deadlines = start();
  deadlines.connected();
  for (let at = 0; at < 199; at += 1) {
    deadlines.alive();
    vi.advanceTimersByTime(1);
  }
  expect(deadlines.expired()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(deadlines.expired()).toBe("total_timeout");
});

test("a cancel is told as such, also one from before", () => {
  const running = start();
  cancel.abort(RUN_CANCELLED);
  expect([running.signal.aborted, running.expired()]).toEqual([true, "cancelled"]);
  const late = start();
  expect([late.signal.aborted, late.expired()]).toEqual([true, "cancelled"]);
});

test("a stop for any other reason is this process letting go", () => {
  const running = start();
  cancel.abort("the service stops");
  expect([running.signal.aborted, running.expired()]).toEqual([true, "shutdown"]);
});

test("the run's own time ends a response that is alive", () => {
  const deadlines = createDeadlines({ ...times, runMs: 30 }, cancel.signal);
  deadlines.connected();
  for (let at = 0; at < 29; at += 1) {
    vi.advanceTimersByTime(1);
    deadlines.alive();
  }
  expect(deadlines.expired()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(deadlines.expired()).toBe("run_timeout");
});

test("the first reason stands", () => {
  const deadlines = start();
  vi.advanceTimersByTime(10);
  cancel.abort();
  vi.advanceTimersByTime(1_000);
  expect(deadlines.expired()).toBe("connect_timeout");
});

test("cleared deadlines leave no timer and no listener behind", () => {
  const deadlines = createDeadlines({ ...times, runMs: 100 }, cancel.signal);
  deadlines.connected();
  deadlines.clear();
  expect(vi.getTimerCount()).toBe(0);
  cancel.abort();
  expect([deadlines.signal.aborted, deadlines.expired()]).toEqual([false, null]);
});
