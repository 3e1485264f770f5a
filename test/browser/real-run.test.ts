import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { launchChromium } from "../support/chromium.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { makeRepository } from "../support/repository.ts";
import { visit } from "../support/visit.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let console: TestConsole;
let browser: Browser;

beforeAll(async () => {
  repository = await makeRepository();
  [cell, browser] = await Promise.all([
    startCell({ sources: [repository.directory], services: ["streamer", "validator", "executor"] }),
    launchChromium(),
  ]);
  await cell.trustRoute();
  console = await startTestConsole({ redis: cell.redis, keyrings: cell.keyrings });
});
afterAll(async () => {
  await browser.close();
  await console.close();
  await cell.close();
  await repository.remove();
});

async function submitAsking(): Promise<string> {
  const spec: object = parse(await readFile(path.join(ROOT, "fixtures/demo/specs/fix-test.yaml"), "utf8"));
  return cell.submit({ ...spec, policy: "strict", workspace: { source: repository.directory, ref: "main" } });
}

test("a run is watched until it asks, each of its calls is approved from there, and it is seen to end", async () => {
  const { page, offences, close } = await visit(browser, console, { name: "approver" });
  const run = await submitAsking();
  await page.locator(`a[href="/runs/${run}"]`).first().click();
  await page.waitForURL(`**/runs/${run}`);
  const asked = page.locator('#timeline a[href^="/approvals/"]');
  const ended = page.locator("#head .badge", { hasText: /^(completed|escalated|failed|denied)$/ });
  await asked.or(ended).first().waitFor();
  while ((await ended.count()) === 0) {
    await asked.first().click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL("**/approvals?said=approved");
    await page.goto(`${console.url}/runs/${run}`);
    await asked.or(ended).first().waitFor();
  }
  expect(await ended.innerText()).toBe("completed");
  expect(offences).toEqual([]);
  await close();
});

test("a call that is denied does not run, and its run's page says so", async () => {
  const { page, offences, close } = await visit(browser, console, { name: "approver" });
  const run = await submitAsking();
  await page.goto(`${console.url}/approvals`);
  const link = page.locator(`a[href^="/approvals/${run}"]`).first();
  const item = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
  await link.click();
  await page.getByLabel("Reason").fill("not today");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL("**/approvals?said=denied");
  await page.goto(`${console.url}/runs/${run}`);
  const row = page.locator("#timeline tr", { has: page.locator(`[id="${item}"]`) });
  await row.getByText("DENIED", { exact: true }).waitFor();
  expect(offences).toEqual([]);
  await close();
});
