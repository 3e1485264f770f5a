import { readFile } from "node:fs/promises";
import path from "node:path";
import { readTurn, readCall } from "@airlock/core/run";
import { parse } from "yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { makeRepository } from "../support/repository.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;

beforeAll(async () => {
  repository = await makeRepository();
  cell = await startCell({ sources: [repository.directory] });
  await cell.verifyRoute();
});

afterAll(async () => {
  await cell.close();
  await repository.remove();
});

async function storySpec(name: string): Promise<Record<string, unknown>> {
  const text = await readFile(path.join(ROOT, `fixtures/demo/specs/${name}.yaml`), "utf8");
  return { ...(parse(text) as object), workspace: { source: repository.directory, ref: "main" } };
}

async function callsOf(run: string, turns: number): Promise<readonly (string | undefined)[]> {
  const states: (string | undefined)[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const hash = await readTurn(cell.redis, run, turn);
    for (const key of hash?.calls.keys() ?? []) {
      const call = await readCall(cell.redis, key);
      states.push(`${call?.tool} ${call?.settled} ${call?.errorClass ?? call?.status}`);
    }
  }
  return states;
}

test("an agent fixes a failing test, from the spec to the report", async () => {
  const run = await cell.submit(await storySpec("fix-test"));
  const ended = await cell.ended(run);
  expect(await callsOf(run, ended.turn)).toEqual([]);
  expect(ended).toMatchObject({ state: "completed" });
});
