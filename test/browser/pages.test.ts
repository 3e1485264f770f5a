import { createKeyrings } from "@airlock/core/record";
import { readAnswers } from "@airlock/core/approval";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { seedRun, type SeededCall } from "../support/seeded-run.ts";
import { overflowOf, visit } from "../support/visit.ts";

const ROUTES = "routes: { gateway: { family: responses, baseUrl: 'http://127.0.0.1:1', models: ['**'] } }";
const HOSTILE = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202Egpj.exe\u0000`;
const COMMAND = {
  tool: "run_command",
  state: "AWAITING_APPROVAL",
  arguments: { argv: ["rm", "-rf", "build"] },
} as const satisfies SeededCall;

const keyrings = createKeyrings();
let server: RedisServer;
let console: TestConsole;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startRedis({ appendfsync: "everysec" }), launchChromium()]);
  console = await startTestConsole({ redis: server.redis, keyrings, routes: ROUTES });
});
afterAll(async () => {
  await browser.close();
  await console.close();
  await server.close();
});
beforeEach(() => server.redis.flushall());

async function seedCall(
  call: Partial<SeededCall> = {},
): Promise<{ readonly run: string; readonly item: string }> {
  const { run, itemKeys } = await seedRun(
    { redis: server.redis, keyrings },
    { turns: [[{ ...COMMAND, ...call }]] },
  );
  return { run, item: itemKeys[0]?.[0] ?? "" };
}

describe("somebody who may only look", () => {
  test("sees that a call waits, neither what it would do nor a button, and is refused by the server", async () => {
    const { item } = await seedCall();
    const { page, offences, close } = await visit(browser, console, { name: "viewer" });
    await page.goto(`${console.url}/approvals/${item}`);
    const text = await page.locator("main").innerText();
    expect(text).toContain("Commands change more than the tree.");
    expect(text).not.toContain("build");
    expect(await page.locator("main button, main form").count()).toBe(0);
    const visitor = await console.login("viewer");
    const form = new URLSearchParams({ answer: "approve", reason: "", nonce: "", csrf: visitor.csrf });
    expect((await visitor.send("POST", `/approvals/${item}`, form)).status).toBe(403);
    expect((await visitor.get(`/approvals/${item}/arguments`)).status).toBe(403);
    expect((await visitor.get("/audit")).status).toBe(403);
    expect(await readAnswers(server.redis, item, item.split(".")[0] ?? "")).toEqual({});
    expect(offences).toEqual([]);
    await close();
  });

  test("learns of no run but its own where it only submits", async () => {
    const { run } = await seedCall();
    const visitor = await console.login("submitter");
    const own = await seedRun({ redis: server.redis, keyrings }, { turns: [], requestedBy: "submitter" });
    const list = await (await visitor.get("/runs")).text();
    expect([list.includes(run), list.includes(own.run)]).toEqual([false, true]);
    for (const path of [`/runs/${run}`, `/runs/${run}/diff`, `/live/runs/${run}`]) {
      expect([path, (await visitor.get(path)).status]).toEqual([path, 404]);
    }
    expect((await visitor.get(`/runs/${own.run}`)).status).toBe(200);
  });
});

describe("an approver", () => {
  test("approves with the keyboard alone, from the list to what came of it", async () => {
    const { run, item } = await seedCall();
    const { page, offences, close } = await visit(browser, console, { name: "approver" });
    await page.goto(`${console.url}/approvals`);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/approvals/${item}`);
    expect(await page.locator(".argv li").allInnerTexts()).toEqual(["rm", "-rf", "build"]);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/approvals?said=approved");
    expect(Object.keys(await readAnswers(server.redis, item, run))).toEqual(["approver"]);
    expect(offences).toEqual([]);
    await close();
  });

  test("sends nothing with Enter in the reason, and denies only with one", async () => {
    const { run, item } = await seedCall();
    const { page, offences, close } = await visit(browser, console, { name: "approver" });
    await page.goto(`${console.url}/approvals/${item}`);
    await page.getByLabel("Reason").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Deny" }).click();
    expect(page.url()).toBe(`${console.url}/approvals/${item}`);
    expect(await readAnswers(server.redis, item, run)).toEqual({});
    await page.getByLabel("Reason").fill("not on this branch");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL("**/approvals?said=denied");
    expect(await page.getByRole("status").first().innerText()).toContain("does not run");
    expect(offences).toEqual([]);
    await close();
  });

  test("is told that an answer came too late, and nothing is stored", async () => {
    const { run, item } = await seedCall({ expiresInMs: 2_500 });
    const { page, close } = await visit(browser, console, { name: "approver" });
    await page.goto(`${console.url}/approvals/${item}`);
    await page.locator("time[data-time=left]", { hasText: "over" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("it has expired, and nothing runs").waitFor();
    expect(await readAnswers(server.redis, item, run)).toEqual({});
    await close();
  });

  test("counts once where two are needed", async () => {
    const { item } = await seedCall({ quorum: 2 });
    const { page, offences, close } = await visit(browser, console, { name: "approver" });
    await page.goto(`${console.url}/approvals/${item}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL("**/approvals?said=pending");
    await page.goto(`${console.url}/approvals/${item}`);
    await page.getByText("1 of 2 · approver").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(offences).toEqual([]);
    await close();
  });
});

describe("a page", () => {
  test("shows a run's new state without being loaded anew", async () => {
    const { run, item } = await seedCall();
    const { page, offences, close } = await visit(browser, console, { name: "viewer" });
    await page.goto(`${console.url}/runs/${run}`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate("window.mark = 1");
    const event = { type: "item_state", itemKey: item, state: "DENIED", tool: "run_command" };
    const rest = { rule: null, errorClass: "APPROVAL_DENIED", bytes: null };
    await server.redis.hset(`airlock:{${run}}:call:${item}`, { state: "DENIED", settled: "DENIED" });
    await server.redis.xadd(`airlock:{${run}}:events`, "*", "e", JSON.stringify({ ...event, ...rest }));
    await page.locator("#timeline .badge", { hasText: "DENIED" }).waitFor();
    expect(await page.evaluate("window.mark")).toBe(1);
    expect(offences).toEqual([]);
    await close();
  });

  test("shows hostile text as text, with what hides in it marked", async () => {
    const { run, item } = await seedCall({
      tool: HOSTILE.slice(0, 100),
      rule: HOSTILE,
      reason: HOSTILE,
      arguments: { [HOSTILE]: HOSTILE },
    });
    const fields = { detail: HOSTILE, errorClass: "SPEC_INVALID", model: HOSTILE, pool: HOSTILE };
    const labelled = { turns: [], fields, labels: { [HOSTILE]: HOSTILE }, requestedBy: HOSTILE };
    const other = await seedRun({ redis: server.redis, keyrings }, labelled);
    const { page, offences, close } = await visit(browser, console, { name: "everything" });
    const paths = [
      "/runs",
      `/runs/${run}`,
      `/runs/${other.run}`,
      "/approvals",
      `/approvals/${item}`,
      "/audit",
    ];
    for (const path of paths) {
      await page.goto(`${console.url}${path}`);
      expect([path, await page.evaluate("window.hit")]).toEqual([path, undefined]);
      expect([path, await page.locator("main img, main script, main iframe").count()]).toEqual([path, 0]);
      expect([path, (await page.locator("main").innerText()).includes("\u202E")]).toEqual([path, false]);
    }
    await page.goto(`${console.url}/approvals/${item}`);
    expect(await page.locator("pre.json .mark").allInnerTexts()).toContain("U+202E");
    expect(offences).toEqual([]);
    await close();
  });

  test("of any kind has a name, one first heading, and no sideways scroll on a phone", async () => {
    const { run, item } = await seedCall({ arguments: { argv: ["x".repeat(3_000), "y y"] } });
    const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
    const { page, offences, close } = await visit(browser, console, { name: "everything", ...phone });
    const lists = [
      "/runs",
      "/approvals",
      "/quarantine?state=all",
      "/unknown",
      "/routes",
      "/executors",
      "/audit",
    ];
    for (const path of [...lists, `/runs/${run}`, `/runs/${run}/diff`, `/approvals/${item}`]) {
      await page.goto(`${console.url}${path}`);
      expect([path, await overflowOf(page)]).toEqual([path, 0]);
      expect([path, await page.getByRole("heading", { level: 1 }).count()]).toEqual([path, 1]);
      expect([path, await page.title()]).toEqual([path, expect.stringMatching(/ · Airlock$/)]);
    }
    expect(offences).toEqual([]);
    await close();
  });
});
