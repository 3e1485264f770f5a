import { readAnswers } from "@airlock/core/approval";
import { approvalBodySchema, parseBody } from "@airlock/core/contract";
import { signedRecordSchema } from "@airlock/core/record";
import { createRouteBreaker } from "@airlock/core/run";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { asking, openParkedCalls, type ParkedCalls } from "../support/parked-calls.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import { visit } from "../support/visit.ts";

const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };

let server: RedisServer;
let validator: TestValidator;
let parked: ParkedCalls;
let console: TestConsole;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startRedis({ appendfsync: "everysec" }), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, createRouteBreaker(server.redis, PATIENT), {
    approvalMs: 600_000,
  });
  parked = openParkedCalls(server.redis, validator);
  console = await startTestConsole({ redis: server.redis, keyrings: validator.keyrings });
});
afterEach(async () => {
  await console.close();
  await parked.close();
  await validator.close();
});

/** The first question on the board, and the buttons of its job. */
async function listed(page: Page): Promise<{ readonly item: string; readonly buttons: Locator }> {
  await page.goto(`${console.url}/board/queue/approvals?status=delayed`);
  const link = page.locator('a[href^="/approvals/"]').first();
  const item = ((await link.getAttribute("href")) ?? "").split("/").at(-1) ?? "";
  // the smallest part of the page that has both: its buttons have no names but those that they show when pointed at
  const row = link.locator("xpath=ancestor::div[.//button//*[local-name()='svg']][1]");
  return { item, buttons: row.locator("button", { has: page.locator("svg") }) };
}

async function press(page: Page, buttons: Locator, place: "promote" | "clean"): Promise<void> {
  await (place === "promote" ? buttons.first() : buttons.last()).click();
  await confirm(page);
}

async function confirm(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Confirm" }).click();
}

/** What people have said of a call, by their names. */
async function answersTo(item: string) {
  const records = await readAnswers(server.redis, item, item.split(".")[0] ?? "");
  return Object.fromEntries(
    Object.entries(records).map(([name, text]) => {
      const { body } = signedRecordSchema.parse(JSON.parse(text));
      const { answer, approver, reason } = parseBody(approvalBodySchema, body);
      return [name, { answer, approver, reason }];
    }),
  );
}

test("the board shows the questions, links each to its page, and needs nothing of elsewhere", async () => {
  const [item] = await parked.open(asking(), 2);
  const { page, offences, close } = await visit(browser, console, { name: "viewer" });
  for (const path of ["/board", "/board/queue/approvals", `/board/queue/approvals/${item}.1`]) {
    await page.goto(`${console.url}${path}`);
    await page.getByText("Airlock queues").first().waitFor();
    await page.waitForLoadState("networkidle");
  }
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "What would run" }).click();
  await (await opened).waitForURL(`${console.url}/approvals/${item}`);
  expect(offences).toEqual([]);
  await close();
});

test("its buttons Promote and Clean approve and deny, each in the name of who presses them", async () => {
  await parked.open(asking(), 2);
  const { page, offences, close } = await visit(browser, console, { name: "approver" });
  for (const [place, answer] of [
    ["promote", "approve"],
    ["clean", "deny"],
  ] as const) {
    const { item, buttons } = await listed(page);
    await press(page, buttons, place);
    await expect
      .poll(() => answersTo(item), { timeout: 10_000 })
      .toEqual({ approver: { answer, approver: "approver", reason: "answered on the board of queues" } });
  }
  expect(offences).toEqual([]);
  await close();
});

test("Promote all, and any button that a viewer presses, change nothing", async () => {
  const items = await parked.open(asking(), 2);
  const unchanged = async () => {
    expect(
      (await parked.queue.getDelayed()).map(({ id }) => id ?? "").toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(items.map((item) => `${item}.1`));
    for (const item of items) expect(await answersTo(item)).toEqual({});
  };
  const approver = await visit(browser, console, { name: "approver" });
  await approver.page.goto(`${console.url}/board/queue/approvals?status=delayed`);
  const refused = approver.page.waitForResponse((response) => response.request().method() !== "GET");
  await approver.page.getByText("Promote all").click();
  await confirm(approver.page);
  expect((await refused).status()).toBe(403);
  await unchanged();
  await approver.close();
  const viewer = await visit(browser, console, { name: "viewer" });
  for (const place of ["promote", "clean"] as const) {
    const answer = viewer.page.waitForResponse((response) => response.request().method() !== "GET");
    await press(viewer.page, (await listed(viewer.page)).buttons, place);
    expect((await answer).status()).toBe(403);
    await unchanged();
  }
  await viewer.close();
});
