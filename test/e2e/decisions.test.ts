import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readCall, readRun, readTurn } from "@airlock/core/run";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const ASKING = `apiVersion: airlock.policy/v1
mode: enforce
defaults: { noMatch: forbid }
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: read, decision: allow, tool: read_file }
  - { id: ask-first, decision: approve, tool: write_file }
`;

let cell: Cell;
let policies: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  repository = await makeRepository();
  policies = await mkdtemp(path.join(tmpdir(), "airlock-policies-"));
  await cp(path.join(ROOT, "config/policies"), policies, { recursive: true });
  await writeFile(path.join(policies, "asking.yaml"), ASKING);
  const allowed = call("write_file", { path: "src/new.js", content: "export {};\n" });
  const forbidden = call("write_file", { path: ".github/workflows/ci.yml", content: "on: push\n" });
  fixtures = await writeFixtures({
    together: [[allowed, forbidden], [REPORT]],
    asked: [[call("read_file", { path: "README.md" }), allowed], [REPORT]],
    same: [
      [
        call("write_file", { path: "src/new.js", content: "1" }),
        call("write_file", { path: "src/new.js", content: "2" }),
        call("read_file", { path: "src/new.js" }),
      ],
      [REPORT],
    ],
  });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_POLICIES: policies, AIRLOCK_APPROVAL_MS: "1000" },
  });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(policies, { recursive: true, force: true });
});

async function endsOf(run: string): Promise<readonly string[]> {
  const turn = await readTurn(cell.redis, run, 1);
  const calls = await Promise.all([...(turn?.calls.keys() ?? [])].map((key) => readCall(cell.redis, key)));
  return calls.map((each) => `${each?.tool} ${each?.settled} ${each?.errorClass ?? each?.status}`);
}

function written(run: string, file: string): Promise<string> {
  return readFile(path.join(cell.volume, run, "tree", file), "utf8");
}

test("siblings go their own ways: one is forbidden, the other runs", async () => {
  const run = await cell.submit(specOf("together", repository.directory));
  await cell.ended(run);
  expect(await endsOf(run)).toEqual(["write_file EXECUTED ok", "write_file DENIED POLICY_FORBIDDEN"]);
  expect(await written(run, "src/new.js")).toBe("export {};\n");
});

test("all or nothing: one forbidden call refuses its sibling, and nothing is written", async () => {
  const run = await cell.submit(specOf("together", repository.directory, { allOrNothing: true }));
  await cell.ended(run);
  expect(await endsOf(run)).toEqual([
    "write_file DENIED SIBLING_REFUSED",
    "write_file DENIED POLICY_FORBIDDEN",
  ]);
  await expect(written(run, "src/new.js")).rejects.toThrow("ENOENT");
});

test("a call that policy wants approved waits, and expires where nobody does; its sibling runs", async () => {
  const run = await cell.submit(specOf("asked", repository.directory, { policy: "asking" }));
  const seen = new Set<string | undefined>();
  for (
    let hash = await readRun(cell.redis, run);
    hash?.endedAt === undefined;
    hash = await readRun(cell.redis, run)
  ) {
    seen.add(hash?.state);
    await sleep(20);
  }
  expect(seen).toContain("awaiting_approval");
  await cell.ended(run);
  expect(await endsOf(run)).toEqual(["read_file EXECUTED ok", "write_file EXPIRED APPROVAL_EXPIRED"]);
  await expect(written(run, "src/new.js")).rejects.toThrow("ENOENT");
});

test("calls that touch the same file run one after the other, in the order of the turn", async () => {
  const run = await cell.submit(specOf("same", repository.directory));
  await cell.ended(run);
  expect(await endsOf(run)).toEqual([
    "write_file EXECUTED ok",
    "write_file EXECUTED ok",
    "read_file EXECUTED ok",
  ]);
  expect(await written(run, "src/new.js")).toBe("2");
});
