// How long the console's server takes for a page of a list of 10,000 runs and of 5,000 calls that wait, and what memory it
// keeps; and when a browser first paints the timeline of a run with 1,000 calls. Real Redis, real HTTP, real Chromium.
import { createKeyrings, newRunId } from "@airlock/core/record";
import { globalKeys, runKeys, type Redis } from "@airlock/core/store";
import { launchChromium } from "../../test/support/chromium.ts";
import { startTestConsole, type TestConsole } from "../../test/support/console.ts";
import { startRedis } from "../../test/support/redis-server.ts";
import { seedRun } from "../../test/support/seeded-run.ts";
import { visit } from "../../test/support/visit.ts";

const RUNS = 10_000;
const REQUESTS = 60;
const TURNS = 10;
const CALLS_PER_TURN = 100;
const PAINTS = 5;
const WAITING_RUNS = 50;
const WAITING = WAITING_RUNS * CALLS_PER_TURN;

const server = await startRedis({ appendfsync: "everysec" });
const keyrings = createKeyrings();
const served = await startTestConsole({ redis: server.redis, keyrings });
const browser = await launchChromium();
try {
  await storeRuns(server.redis);
  await measure(`${RUNS} runs, first page`, served, "/runs");
  await measure(`${RUNS} runs, failed ones, 1 in 50`, served, "/runs?state=failed");
  await measure(`${RUNS} runs, a state that no run has`, served, "/runs?state=truncated");
  await walk(`${RUNS} runs`, served, "/runs");
  await storeWaiting();
  await measure(`${WAITING} waiting calls, first page`, served, "/approvals");
  await measure(`${WAITING} waiting calls, 200 over the API`, served, "/api/v1/approvals?limit=200");
  await walk(`${WAITING} waiting calls`, served, "/approvals");
  const paints = await paintTimeline();
  write(`timeline of ${TURNS * CALLS_PER_TURN} calls: first paint ${paints.join(", ")} ms after the request`);
} finally {
  await browser.close();
  await served.close();
  await server.close();
}

/** As admission writes them, with a plan that lists must not read. */
async function storeRuns(redis: Redis): Promise<void> {
  const plan = JSON.stringify({ tools: "x".repeat(4_000) });
  for (let at = 0; at < RUNS; at += 1_000) {
    const pipeline = redis.pipeline();
    for (let run = at; run < at + 1_000; run += 1) {
      const id = newRunId();
      const createdAt = 1_700_000_000_000 + run * 1_000;
      pipeline.zadd(globalKeys.runs, createdAt, id);
      pipeline.hset(runKeys(id).run, {
        state: run % 50 === 0 ? "failed" : "completed",
        route: "gateway",
        model: "replay/demo",
        policy: "ci-default",
        requestedBy: "ci",
        labels: '{"team":"payments"}',
        createdAt,
        plan,
      });
    }
    await pipeline.exec();
  }
}

/** Each run's at another time, as they are asked about one after the other. */
async function storeWaiting(): Promise<void> {
  for (let at = 0; at < WAITING_RUNS; at += 1) {
    const call = {
      tool: "run_command",
      state: "AWAITING_APPROVAL",
      arguments: { argv: ["npm", "test"] },
    } as const;
    const expiresInMs = 3_600_000 + at * 1_000;
    await seedRun(
      { redis: server.redis, keyrings },
      { turns: [Array.from({ length: CALLS_PER_TURN }, () => ({ ...call, expiresInMs }))] },
    );
  }
}

async function measure(what: string, console: TestConsole, path: string): Promise<void> {
  for (let warm = 0; warm < 5; warm += 1) await (await ask(console, path)).text();
  const before = heapMiB();
  const times: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const begun = performance.now();
    await (await ask(console, path)).text();
    times.push(performance.now() - begun);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  const heap = `heap ${before.toFixed(1)} -> ${heapMiB().toFixed(1)} MiB`;
  write(`${what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms over ${REQUESTS} requests, ${heap}`);
}

/** Every page, as one who reads them all: the last has to cost what the first does. */
async function walk(what: string, console: TestConsole, list: string): Promise<void> {
  let path: string | undefined = list;
  let [pages, slowest] = [0, 0];
  while (path !== undefined) {
    const begun = performance.now();
    const html: string = await (await ask(console, path)).text();
    slowest = Math.max(slowest, performance.now() - begun);
    pages += 1;
    path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  }
  write(
    `${what}, all ${pages} pages: the slowest ${slowest.toFixed(1)} ms, heap ${heapMiB().toFixed(1)} MiB`,
  );
}

function ask(console: TestConsole, path: string): Promise<Response> {
  return console.ask("viewer", "GET", path);
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
}

async function paintTimeline(): Promise<readonly number[]> {
  const call = { tool: "read_file", state: "EXECUTED", arguments: { path: "src/app.ts" } } as const;
  const turns = Array.from({ length: TURNS }, () => Array.from({ length: CALLS_PER_TURN }, () => call));
  const { run } = await seedRun({ redis: server.redis, keyrings }, { turns });
  const { page, close } = await visit(browser, served, { name: "viewer" });
  const paints: number[] = [];
  for (let load = 0; load < PAINTS; load += 1) {
    await page.goto(`${served.url}/runs/${run}`);
    // told a moment after the page has loaded
    const paint = await page.waitForFunction(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
    );
    paints.push(Math.round(Number(await paint.jsonValue())));
  }
  await close();
  return paints;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
