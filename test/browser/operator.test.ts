import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLedger } from "@airlock/core/ledger";
import { itemKey } from "@airlock/core/record";
import { globalKeys } from "@airlock/core/store";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { launchChromium } from "../support/chromium.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { visit } from "../support/visit.ts";

const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] } }
rules: [{ id: mark, decision: allow, tool: mark_unseen }]
`;

let folder: string;
let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let console: TestConsole;
let browser: Browser;

/** A tool that has its effect and then never comes to an end, with nothing that could find out what became of it. */
async function writeTool(): Promise<void> {
  const program = path.join(folder, "mark");
  await writeFile(program, "#!/bin/bash\necho marked >> marks.log; sleep 1000\n");
  await chmod(program, 0o755);
  const manifest = {
    apiVersion: "airlock.tool/v1",
    name: "mark_unseen",
    description: "Marks.",
    inputSchema: { type: "object", additionalProperties: false, properties: {} },
    effect: "mutating",
    claims: { workspace: "write" },
    command: [program],
  };
  await mkdir(path.join(folder, "tools"));
  await writeFile(path.join(folder, "tools/mark_unseen.json"), JSON.stringify(manifest));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-operator-"));
  await chmod(folder, 0o755);
  await writeTool();
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/marks.yaml"), POLICY);
  repository = await makeRepository();
  fixtures = await writeFixtures({ marks: [[call("mark_unseen", {})], [REPORT]] });
  const env = {
    AIRLOCK_TOOLS: path.join(folder, "tools"),
    AIRLOCK_POLICIES: path.join(folder, "policies"),
  };
  [cell, browser] = await Promise.all([
    startCell({ fixtures: fixtures.directory, sources: [repository.directory], env }),
    launchChromium(),
  ]);
  await cell.trustRoute();
  console = await startTestConsole({ redis: cell.redis, keyrings: cell.keyrings });
});
afterAll(async () => {
  await browser.close();
  await console.close();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Each action as the validator's audit has it. */
async function audit(run: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const entries = await cell.redis.xrange(globalKeys.audit, "-", "+");
  return entries
    .map(([, [, text = ""]]) => JSON.parse(text) as Readonly<Record<string, unknown>>)
    .filter((entry) => entry["run"] === run);
}

/** Somebody who may only look finds no form, and is refused when a form's request is sent all the same. */
async function expectRefused(place: string, target: string, fields: Record<string, string>): Promise<void> {
  const { page, offences, close } = await visit(browser, console, { name: "viewer" });
  await page.goto(`${console.url}${place}`);
  expect(await page.locator("main form[method=post], main button[type=submit]").count()).toBe(0);
  expect(offences).toEqual([]);
  await close();
  const visitor = await console.login("viewer");
  const form = new URLSearchParams({ ...fields, csrf: visitor.csrf });
  expect((await visitor.send("POST", target, form)).status).toBe(403);
}

describe("an operator", () => {
  test("finds an escalated run among what was refused, lets it go on with a reason, and sees it end", async () => {
    const text = await readFile(path.join(ROOT, "fixtures/demo/specs/cut-write.yaml"), "utf8");
    const spec: Record<string, unknown> = parse(text);
    const run = await cell.submit({
      ...spec,
      workspace: { source: repository.directory, ref: "main" },
      limits: { turns: 4, calls: 4, attempts: 1 },
    });
    expect(await cell.ended(run)).toMatchObject({ state: "escalated" });
    await expectRefused(`/runs/${run}`, `/runs/${run}`, { act: "requeue", reason: "me too" });
    expect(await audit(run)).toEqual([]);

    const { page, offences, close } = await visit(browser, console, { name: "operator" });
    await page.goto(`${console.url}/quarantine`);
    const row = page.locator("#entries tr", { has: page.locator(`a[href="/runs/${run}"]`) });
    expect(await row.first().innerText()).toContain("ATTEMPTS_EXHAUSTED");
    await row.first().locator("a").first().click();
    await page.waitForURL(`**/runs/${run}`);
    await page.getByRole("button", { name: "Let it go on" }).click();
    expect(await audit(run)).toEqual([]); // a reason is missing
    await page.getByLabel("Reason").fill("the stream was cut");
    await page.getByRole("button", { name: "Let it go on" }).click();
    await page.locator("#head .badge", { hasText: /^completed$/ }).waitFor();
    expect(await cell.ended(run)).toMatchObject({ state: "completed", requeues: 1 });
    const requeued = { kind: "requeue", by: "operator", reason: "the stream was cut" };
    expect(await audit(run)).toMatchObject([{ ...requeued, answer: "requeued_attempt" }]);
    expect(offences).toEqual([]);
    await close();
  });

  test("says what became of a call whose end nobody saw, and it is off the list", async () => {
    const more = { policy: "marks", tools: ["mark_unseen"] };
    const run = await cell.submit(specOf("marks", repository.directory, more));
    const key = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
    const marks = path.join(cell.volume, run, "tree/marks.log");
    await until("the mark", async () => (await readFile(marks, "utf8").catch(() => "")) !== "");
    await cell.kill("executor");
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    const ledger = createLedger(cell.redis);
    expect(await ledger.read(key)).toMatchObject({ state: "NEEDS_HUMAN" });
    await expectRefused("/unknown", `/unknown/${key}`, { finding: "executed", reason: "me too" });
    expect(await ledger.read(key)).toMatchObject({ state: "NEEDS_HUMAN" });

    const { page, offences, close } = await visit(browser, console, { name: "operator" });
    await page.goto(`${console.url}/unknown`);
    const card = page.locator("section.card", { hasText: key });
    await card.getByLabel("it ran to its end").check();
    await card.getByLabel("Reason").fill("its mark is there");
    await card.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("The end of every call is known.").waitFor();
    expect(await ledger.read(key)).toMatchObject({ state: "EXECUTED" });
    const resolved = { kind: "resolve", target: key, finding: "executed", by: "operator" };
    expect(await audit(run)).toMatchObject([
      { ...resolved, reason: "its mark is there", answer: "resolved" },
    ]);
    expect(offences).toEqual([]);
    await close();
  });
});
