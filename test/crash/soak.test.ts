import { afterAll, beforeAll, expect, test } from "vitest";
import { startSoakCell, type SoakCell } from "./support/soak-cell.ts";
import { soak } from "./support/soak.ts";

const ROUNDS = 5;

let soaking: SoakCell;

beforeAll(async () => {
  soaking = await startSoakCell();
});

afterAll(() => soaking.close());

test("runs that are disturbed at random: no effect twice, none lost, none told otherwise than it was", async () => {
  const { cell, source } = soaking;
  const report = await soak(cell, { source, seed: 1, goOn: (round) => round < ROUNDS });
  expect(report.findings).toEqual([]);
  expect(report.completed + report.unknown).toBe(report.runs);
  expect(report.completed).toBeGreaterThan(0);
});
