import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { callsOf } from "../support/story-lines.ts";
import { eventWhere } from "../support/watch.ts";
import { makeRepository } from "../support/repository.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;

beforeAll(async () => {
  repository = await makeRepository();
  cell = await startCell({ sources: [repository.directory] });
});

afterAll(async () => {
  await cell.close();
  await repository.remove();
});

async function storySpec(name: string): Promise<Record<string, unknown>> {
  const text = await readFile(path.join(ROOT, `fixtures/demo/specs/${name}.yaml`), "utf8");
  const spec: Record<string, unknown> = parse(text);
  return { ...spec, workspace: { source: repository.directory, ref: "main" } };
}

function fileOf(run: string, file: string): Promise<string> {
  return readFile(path.join(cell.volume, run, "tree", file), "utf8");
}

test("no call runs before the route has shown that it keeps its contract", async () => {
  const run = await cell.submit(await storySpec("fix-test"));
  const ended = await cell.ended(run);
  expect(ended.state).toBe("completed");
  expect(new Set(await callsOf(cell, run, ended.turn))).toEqual(
    new Set([
      "1.1 list_files DENIED ROUTE_UNVERIFIED",
      "1.1 read_file DENIED ROUTE_UNVERIFIED",
      "2.1 read_file DENIED ROUTE_UNVERIFIED",
      "2.1 run_command DENIED ROUTE_UNVERIFIED",
      "3.1 apply_patch DENIED ROUTE_UNVERIFIED",
      "4.1 run_command DENIED ROUTE_UNVERIFIED",
    ]),
  );
  await cell.verifyRoute("gateway");
});

test("an agent fixes a failing test, from the spec to the report", async () => {
  const run = await cell.submit(await storySpec("fix-test"));
  const ended = await cell.ended(run);
  expect(await callsOf(cell, run, ended.turn)).toEqual([
    "1.1 list_files EXECUTED ok",
    "1.1 read_file EXECUTED ok",
    "2.1 read_file EXECUTED ok",
    "2.1 run_command EXECUTED ok",
    "3.1 apply_patch EXECUTED ok",
    "4.1 run_command EXECUTED ok",
  ]);
  expect(ended).toMatchObject({
    state: "completed",
    turn: 5,
    calls: 6,
    mutatingCalls: 3,
    artifactKind: "report",
  });
  expect(await fileOf(run, "src/price.js")).toContain("padStart");
  expect(await readFile(path.join(repository.directory, "src/price.js"), "utf8")).not.toContain("padStart");
});

test("a response that is cut in the middle of a call ends quarantined, and a fresh attempt does the work", async () => {
  const run = await cell.submit(await storySpec("cut-write"));
  const ended = await cell.ended(run);
  expect(ended.state).toBe("completed");
  expect(await callsOf(cell, run, ended.turn)).toEqual(["1.2 write_file EXECUTED ok"]);
  const cut = await eventWhere(
    cell.redis,
    run,
    (event) => event.type === "item_state" && event.state === "QUARANTINED",
  );
  expect(cut).toMatchObject({
    itemKey: expect.stringMatching(/\.1\.1\.[01]$/),
    errorClass: "ITEM_INCOMPLETE",
  });
});

test("policy forbids a workflow file, the agent is told, and its sibling call runs", async () => {
  const run = await cell.submit(await storySpec("forbidden"));
  const ended = await cell.ended(run);
  expect(ended.state).toBe("completed");
  expect((await callsOf(cell, run, ended.turn)).toSorted()).toEqual([
    "1.1 read_file EXECUTED ok",
    "1.1 write_file DENIED POLICY_FORBIDDEN",
  ]);
  await expect(fileOf(run, ".github/workflows/ci.yml")).rejects.toThrow("ENOENT");
});

test("a spec that admission refuses says why in the run's record", async () => {
  const spec = {
    ...(await storySpec("fix-test")),
    tools: ["read_file", "rm_rf"],
    policy: "lax",
    route: "gateway",
  };
  const ended = await cell.ended(await cell.submit(spec));
  expect(ended).toMatchObject({ state: "failed", errorClass: "ADMISSION_REFUSED" });
  expect(ended.detail).toContain('tool "rm_rf" is none of: read_file');
  expect(ended.detail).toContain('policy "lax" is none of: ci-default, read-only');
});
