import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createCancelBoard } from "@airlock/core/queue";
import { newRunId } from "@airlock/core/record";
import { expect, test } from "vitest";
import { prepareCall } from "../../src/call/prepare-call.ts";
import { createWorkspaces } from "../../src/call/workspaces.ts";
import type { RunPrepare } from "../../src/workspace/index.ts";
import { gitRepository, SERVICE_USER, temporaryDirectory } from "../workspace/fixture.ts";

/** Two calls of a run whose repository has a `prepare` step that ends only when it is aborted. */
async function slowlyPrepared() {
  const root = await temporaryDirectory();
  const [source, volume, run] = [join(root, "source"), join(root, "volume"), newRunId()];
  gitRepository(source, "echo one > a.txt");
  let began: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  const ended: unknown[] = [];
  const runPrepare: RunPrepare = (_request, signal) =>
    new Promise((_, reject) => {
      began();
      signal.addEventListener("abort", () => {
        ended.push(signal.reason);
        reject(new Error("aborted"));
      });
    });
  const step = { command: ["x"], folders: ["made"], lockfiles: [], timeoutMs: 60_000 };
  const repositories = () => ({ prepare: step });
  const parts = { config: { volume, sources: [root] }, serviceUser: SERVICE_USER, repositories, runPrepare };
  const workspaces = createWorkspaces(parts as never, new AbortController().signal);
  const grant = { run, tool: "read_file", effect: "read", workspace: { source, ref: "main" } };
  const deps = { workspaces, repositories, serviceUser: SERVICE_USER, sandbox: null };
  const call = (signal: AbortSignal) =>
    prepareCall(deps as never, grant as never, { outputBytes: 1, signal });
  return { run, volume, begun, ended, call };
}

test("a run that is cancelled ends its prepare step, and each of its calls is cancelled", async () => {
  const { run, volume, begun, ended, call } = await slowlyPrepared();
  const cancels = createCancelBoard();
  const calls = [1, 2].map(() => cancels.during(run, new AbortController().signal, call));
  await begun;
  cancels.cancel(run);
  const cancelled = { ok: false, errorClass: "CANCELLED" };
  expect(await Promise.all(calls)).toMatchObject([cancelled, cancelled]);
  expect(ended).toHaveLength(1);
  expect(readdirSync(volume).filter((name) => name.startsWith(".building-") || name === run)).toEqual([]);
});

test("a call that has to stop for another reason is not ended, and a prepare step that others wait for goes on", async () => {
  const { begun, ended, call } = await slowlyPrepared();
  const [first, last] = [new AbortController(), new AbortController()];
  const calls = [first, last].map(({ signal }) => call(signal));
  await begun;
  first.abort(new Error("the lease is lost"));
  await expect(calls[0]).rejects.toThrow("the wait was ended");
  expect(ended).toEqual([]);
  last.abort(new Error("the lease is lost"));
  await expect(calls[1]).rejects.toThrow("aborted");
});
