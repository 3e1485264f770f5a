import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGrantedCalls } from "../support/granted-calls.ts";
import { startRealExecutor, type ExecutorPlace } from "../support/real-executor.ts";

/** An executor with another bubblewrap: this script, beside its volume. */
async function executorWith(script: string | null, extra: Readonly<Record<string, string>> = {}) {
  const executor = await startRealExecutor((place) => ({
    AIRLOCK_BWRAP: writeBwrap(place, script),
    ...extra,
  }));
  onTestFinished(() => executor.close());
  const calls = openGrantedCalls(executor.place);
  onTestFinished(() => calls.close());
  return { executor, calls };
}

function bwrapOf({ directory }: ExecutorPlace): string {
  return path.join(directory, "bwrap");
}

function writeBwrap(place: ExecutorPlace, script: string | null): string {
  const file = bwrapOf(place);
  if (script !== null) writeFileSync(file, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return file;
}

const RUNS_IT_ITSELF = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

test.each([
  ["is missing", null],
  ["fails", "echo broken >&2; exit 1"],
  ["claims success and reports nothing", "echo fine; exit 0"],
  ["runs the program itself", RUNS_IT_ITSELF],
])("a bubblewrap that %s: commands are refused, file tools work", async (_, script) => {
  const { executor, calls } = await executorWith(script);
  expect(executor.held()).not.toContain("fs");
  const run = await calls.run();
  const ran = await run.bash("touch effect");
  expect([ran.end.state, ran.end.errorClass]).toEqual(["DENIED", "SANDBOX_UNAVAILABLE"]);
  const listed = await run.call("list_files", { path: "." });
  expect(listed.result["status"]).toBe("ok");
  expect(JSON.stringify(listed.result)).not.toContain("effect");
});

test("a sandbox that breaks once it was probed gives no result, and nothing weaker takes its place", async () => {
  const { executor, calls } = await executorWith('exec -c /usr/bin/bwrap "$@"');
  const run = await calls.run();
  expect((await run.bash("echo works")).stdout).toBe("works\n");
  for (const script of ["exit 1", "exit 0", RUNS_IT_ITSELF]) {
    writeBwrap(executor.place, script);
    const ran = await run.bash("touch effect; echo ran");
    expect([script, ran.end.errorClass, ran.stdout]).toEqual([script, "SANDBOX_FAILED", ""]);
  }
});

test.each([
  [{ AIRLOCK_SANDBOX: "none" }, "AIRLOCK_ALLOW_UNSANDBOXED=true"],
  [{ AIRLOCK_ALLOW_UNSANDBOXED: "true" }, "AIRLOCK_SANDBOX=none"],
] as const)("an executor that has only %j doesn't start", async (settings, fix) => {
  await expect(startRealExecutor(() => settings)).rejects.toThrow(fix);
});

test("an executor that is root doesn't start with root as its service user", async () => {
  const isRoot = process.geteuid?.() === 0 && process.env["AIRLOCK_ESCAPE_IMAGE"] === undefined;
  const user = isRoot ? "0:0" : "12345:12345";
  const started = startRealExecutor(() => ({ AIRLOCK_SERVICE_USER: user }));
  await expect(started).rejects.toThrow(isRoot ? /service user/ : /only an executor that runs as root/);
});

test("without a sandbox by both settings, each call is warned of", async () => {
  const { executor, calls } = await executorWith(null, {
    AIRLOCK_SANDBOX: "none",
    AIRLOCK_ALLOW_UNSANDBOXED: "true",
  });
  const run = await calls.run();
  expect((await run.bash("id -u")).stdout).toBe(`${executor.place.uid}\n`);
  await run.bash("true");
  expect(await calls.sandboxOf(run)).toBe("none");
  expect(executor.log().match(/"level":"warn"[^\n]*"unsandboxed_call"/g)).toHaveLength(2);
});
