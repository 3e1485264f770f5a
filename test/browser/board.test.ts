import { readAnswers } from "@airlock/core/approval";
import { createRouteBreaker } from "@airlock/core/run";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { asking, openParkedCalls, type ParkedCalls } from "../support/parked-calls.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import { visit } from "../support/visit.ts";

const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
/** Bull Board asks for two scripts earlier than it needs them; Chromium says so once a few seconds have gone by. */
const EARLY = /was preloaded using link preload but not used/;
/** Bull Board's buttons have no names, only pictures. */
const ICONS = {
  promote: ".lucide-corner-up-left",
  remove: ".lucide-trash2",
  reschedule: ".lucide-clock",
  edit: ".lucide-pencil",
} as const;

let server: RedisServer;
let validator: TestValidator;
let parked: ParkedCalls;
let console: TestConsole;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startRedis(), launchChromium()]);
  const breaker = createRouteBreaker(server.redis, PATIENT);
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, breaker, { approvalMs: 600_000 });
  parked = openParkedCalls(server.redis, validator);
  parked.consume();
  console = await startTestConsole({ redis: server.redis, keyrings: validator.keyrings });
});
afterAll(async () => {
  await browser.close();
  await console.close();
  await parked.close();
  await validator.close();
  await server.close();
});

interface Press {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Somebody at the board, with what their browser wrote there and how it was answered. */
async function sit(name: string) {
  const visited = await visit(browser, console, { name, viewport: { width: 1_280, height: 900 } });
  const presses: Press[] = [];
  visited.page.on("response", (response) => {
    const method = response.request().method();
    const path = new URL(response.url()).pathname.replace("/board/api/queues/approvals", "");
    if (method !== "GET") presses.push({ method, path, status: response.status() });
  });
  const offences = (): readonly string[] => visited.offences.filter((each) => !EARLY.test(each));
  /** Resolves once the n-th press was answered: a page that is left too early takes its request along. */
  const answered = (count: number): Promise<void> =>
    expect.poll(() => presses.length, { timeout: 20_000 }).toBe(count);
  return { ...visited, offences, presses, answered };
}

function icon(page: Page, name: keyof typeof ICONS): Locator {
  return page.locator("main button", { has: page.locator(ICONS[name]) }).last();
}

async function openJob(page: Page, item: string): Promise<void> {
  await page.goto(`${console.url}/board/queue/approvals/${item}.1?status=delayed`);
  await icon(page, "promote").waitFor();
}

async function confirm(page: Page, button: Locator): Promise<void> {
  await button.click();
  await page.getByRole("button", { name: "Confirm" }).click();
}

describe("the board of queues", () => {
  test("loads under the console's own content security policy, with nothing of another origin", async () => {
    const [item] = await parked.open();
    const { page, offences, close } = await sit("viewer");
    const answer = await page.goto(`${console.url}/board`);
    const visitor = await console.login("viewer");
    const { headers } = await visitor.get("/runs");
    expect(await answer?.headerValue("content-security-policy")).toBe(headers.get("content-security-policy"));
    await page.locator('main a[href*="/board/queue/approvals"]').first().click();
    await page.waitForURL("**/board/queue/approvals*");
    await page.goto(`${console.url}/board/queue/approvals?status=delayed`);
    await page.getByText(`${item}.1`).waitFor();
    for (const tab of ["Progress", "Options", "Logs", "Error", "Data"]) {
      await page.getByRole("tab", { name: tab }).first().click();
    }
    expect(await page.locator("body").innerText()).not.toContain("src/0.js");
    expect(offences()).toEqual([]);
    await close();
  });

  test("leads from a parked job to the page that shows what would run", async () => {
    const [item] = await parked.open();
    const { page, offences, close } = await sit("approver");
    await openJob(page, item);
    const link = page.getByRole("link", { name: "What would run" });
    expect(await link.getAttribute("href")).toBe(`/approvals/${item}`);
    await page.goto(`${console.url}${await link.getAttribute("href")}`);
    expect(await page.locator("main").innerText()).toContain("src/0.js");
    expect(offences()).toEqual([]);
    await close();
  });

  test("approves with promote, in the name of whoever pressed it", async () => {
    const [item] = await parked.open();
    const { page, offences, presses, close } = await sit("approver");
    await openJob(page, item);
    await confirm(page, icon(page, "promote"));
    await parked.until(item, ({ grant }) => grant === 1);
    expect(Object.keys(await readAnswers(server.redis, item, item.split(".")[0] ?? ""))).toEqual([
      "approver",
    ]);
    expect(presses).toEqual([{ method: "PUT", path: `/${item}.1/promote`, status: 204 }]);
    expect(offences()).toEqual([]);
    await close();
  });

  test("denies with remove", async () => {
    const [item] = await parked.open();
    const { page, presses, close } = await sit("approver");
    await openJob(page, item);
    await confirm(page, icon(page, "remove"));
    expect(await parked.until(item, ({ settled }) => settled !== undefined)).toMatchObject({
      settled: "DENIED",
      grant: 0,
    });
    expect(presses).toEqual([{ method: "PUT", path: `/${item}.1/clean`, status: 204 }]);
    await close();
  });

  test("says how many approvals are missing where one is not enough", async () => {
    const [item] = await parked.open(asking({ quorum: 2 }));
    const { page, presses, close } = await sit("approver");
    await openJob(page, item);
    await confirm(page, icon(page, "promote"));
    await page.getByText("Your approval is kept; 1 more needed before it runs").waitFor();
    expect(presses).toEqual([{ method: "PUT", path: `/${item}.1/promote`, status: 409 }]);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
    await close();
  });

  test("refuses both to somebody who may only look, and the call goes on waiting", async () => {
    const [item] = await parked.open();
    const { page, presses, answered, close } = await sit("viewer");
    await openJob(page, item);
    await confirm(page, icon(page, "promote"));
    await answered(1);
    await openJob(page, item);
    await confirm(page, icon(page, "remove"));
    await answered(2);
    expect(presses.map(({ status }) => status)).toEqual([403, 403]);
    expect(await readAnswers(server.redis, item, item.split(".")[0] ?? "")).toEqual({});
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
    await close();
  });

  test("refuses whatever else can be done to the queue, to whoever presses it", async () => {
    const [item] = await parked.open();
    const { page, presses, answered, close } = await sit("everything");
    const before = await parked.queue.getJobCounts();
    const place = `${console.url}/board/queue/approvals?status=delayed`;
    for (const [at, name] of ["Promote all", "Clean all"].entries()) {
      await page.goto(place);
      await confirm(page, page.getByRole("button", { name }));
      await answered(at + 1);
    }
    for (const [at, name] of ["Pause", "Empty", "Obliterate"].entries()) {
      await page.goto(place);
      await page.locator("main button[aria-haspopup=menu]").first().click();
      await confirm(page, page.getByRole("menuitem", { name }));
      await answered(at + 3);
    }
    const paths = ["/promote", "/clean/delayed", "/pause", "/empty", "/obliterate"];
    expect(presses).toEqual(paths.map((path) => ({ method: "PUT", path, status: 403 })));
    expect(await parked.queue.getJobCounts()).toEqual(before);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
    await close();
  });

  test("refuses a new time and new data for a job, to whoever presses it", async () => {
    const [item] = await parked.open();
    const { page, presses, answered, close } = await sit("everything");
    const before = (await parked.queue.getJob(`${item}.1`))?.asJSON();
    // an editor that has not come up yet has nothing to send
    const dialogs = [
      { name: "reschedule", title: "Save", ready: "Reschedule job" },
      { name: "edit", title: "Update", ready: '"argumentsDigest"' },
    ] as const;
    for (const [at, { name, title, ready }] of dialogs.entries()) {
      await openJob(page, item);
      await icon(page, name).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(ready).first().waitFor();
      await dialog.getByRole("button", { name: title, exact: true }).click();
      await answered(at + 1);
    }
    expect(presses).toEqual([
      { method: "PATCH", path: `/${item}.1/delay`, status: 403 },
      { method: "PATCH", path: `/${item}.1/update-data`, status: 403 },
    ]);
    expect((await parked.queue.getJob(`${item}.1`))?.asJSON()).toEqual(before);
    expect(await parked.call(item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 0 });
    await close();
  });
});
