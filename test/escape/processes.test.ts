import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openGrantedCalls } from "../support/granted-calls.ts";
import { startRealExecutor } from "../support/real-executor.ts";
import { grantedCalls } from "./batch.ts";

/** Processes of this machine that sleep this long: a number that only one test uses. */
function sleepers(seconds: number): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`sleep\0${seconds}\0`)
      );
    } catch {
      return false;
    }
  });
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(10)) if (holds()) return;
  throw new Error(`waited in vain for ${what}`);
}

test.each([
  [
    "a daemon of its own session",
    77_001,
    "setsid nohup sleep 77001 >/dev/null 2>&1 </dev/null & disown; echo done",
  ],
  ["a daemon that holds the output", 77_002, `setsid bash -c 'trap "" TERM HUP; sleep 77002' & echo done`],
  ["a daemon forked twice", 77_003, "( ( setsid sleep 77003 & ) & ); echo done"],
  ["a job that was stopped", 77_004, "sleep 77004 & kill -STOP $!; echo done"],
])("%s ends with its call, which returns", async (_, seconds, script) => {
  const run = await grantedCalls().run();
  expect(await run.bash(script)).toMatchObject({ code: 0, stdout: "done\n" });
  expect(sleepers(seconds)).toEqual([]);
});

test.each([
  ["deaf to TERM", 77_011, `trap "" TERM INT HUP; setsid bash -c 'trap "" TERM; sleep 77011' & sleep 77011`],
  ["a CPU that spins", 77_012, "sleep 77012 & while :; do :; done"],
  ["a fork bomb", 77_013, "sleep 77013 & f() { f | f & }; f; wait; sleep 77013"],
])("%s: the time-out kills the whole tree", async (_, seconds, script) => {
  const run = await grantedCalls().run();
  const ran = await run.bash(script, { timeoutMs: 800 });
  expect(ran.end.errorClass).toBe("TOOL_TIMEOUT");
  expect(sleepers(seconds)).toEqual([]);
});

test("a cancelled run's call is killed with all that it started", async () => {
  const calls = grantedCalls();
  const run = await calls.run();
  const running = run.bash("setsid sleep 77021 & sleep 77021");
  await until("the call to begin", () => sleepers(77_021).length === 2);
  await calls.cancel(run.run);
  expect((await running).end.errorClass).toBe("CANCELLED");
  expect(sleepers(77_021)).toEqual([]);
});

test("killing everything reaches nothing but its own sandbox", async () => {
  const run = await grantedCalls().run();
  await run.bash(`kill -9 -1; for p in $(seq 1 400); do kill -9 $p; done`);
  await run.bash(`for p in ${process.pid} ${process.ppid}; do kill -9 $p && echo KILLED; done`);
  expect(await run.bash("echo alive")).toMatchObject({ code: 0, stdout: "alive\n" });
});

test("a program that reads its input gets its end", async () => {
  const run = await grantedCalls().run();
  expect(await run.bash("cat; read x || echo end")).toMatchObject({ code: 0, stdout: "end\n" });
});

test("an executor that is killed takes its calls along", async () => {
  const executor = await startRealExecutor();
  onTestFinished(() => executor.close());
  const calls = openGrantedCalls(executor.place);
  onTestFinished(() => calls.close());
  const run = await calls.run();
  void run.bash("setsid sleep 77031 & sleep 77031").catch(() => undefined);
  await until("the call to begin", () => sleepers(77_031).length === 2);
  await executor.kill();
  await until("its processes to be gone", () => sleepers(77_031).length === 0);
  expect(sleepers(77_031)).toEqual([]);
});
