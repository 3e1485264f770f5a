import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readBreaker } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import { composeStream, type GatewayEvent } from "@airlock/replay";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as c from "../../scripts/conformance/chat/frames.ts";
import { airlockBeside, type Airlock } from "../support/airlock.ts";
import { ROOT, startCell, type Cell, type ProcessName } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { readServices } from "../support/sinks.ts";
import { eventsOf } from "../support/story-lines.ts";
import { REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";

const STREAMERS = ["streamer", "streamer-2"] as const satisfies readonly ProcessName[];

let cell: Cell;
let airlock: Airlock;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

/** What the gateway sees of a case: when its requests come and end. */
interface Seen {
  readonly at: number;
  readonly event: Extract<GatewayEvent, { type: "request_played" | "request_ended" }>;
}
const seen: Seen[] = [];

beforeAll(async () => {
  fixtures = await writeFixtures({});
  const file = (name: string): string => path.join(fixtures.directory, "case", name);
  const text = composeStream("chat", { id: "text", items: [REPORT] });
  // it announces calls, and there are none
  const broken = c.ROLE + c.CALLED;
  for (const name of ["broken-1", "broken-2", "broken-3"]) {
    await writeFile(file(`${name}.1.sse`), broken);
    await writeFile(file(`${name}.1.retry.sse`), text);
  }
  for (const name of ["narrow", "after"]) await writeFile(file(`${name}.1.sse`), text);
  await writeFile(file("narrow.1.json"), JSON.stringify({ chunkBytes: 2_000, delayMs: 10 }));
  await writeFile(file("limited.1.json"), JSON.stringify({ httpStatus: 429, retryAfter: 2 }));
  await writeFile(file("limited.1.retry.sse"), text);
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [ROOT],
    services: [...STREAMERS, "validator"],
    env: { AIRLOCK_BREAKER_MISMATCHES: "3", AIRLOCK_BREAKER_OPEN_MS: "600000" },
    routes: {
      breaking: { family: "chat" },
      narrow: { family: "chat", limits: { concurrency: 1 } },
      limited: { family: "chat" },
    },
    gateway: {
      log: (event) => {
        if (event.type === "request_played" || event.type === "request_ended") {
          seen.push({ at: performance.now(), event });
        }
      },
    },
  });
  airlock = await airlockBeside(cell);
});

afterAll(async () => {
  await airlock.remove();
  await cell.close();
  await fixtures.remove();
});

function submit(name: string, route: string): Promise<string> {
  const { workspace: _, ...spec } = specOf(name, ROOT, { route, tools: [] });
  return cell.submit(spec);
}

async function breakerMetric(): Promise<Readonly<Record<string, number>>> {
  const metrics = (await readServices(cell, ["validator"])).get("validator's /metrics") ?? "";
  const lines = [...metrics.matchAll(/^airlock_route_breaker_total\{(.*)\} (\d+)$/gm)].filter(
    ([, labels = ""]) => labels.includes('route="breaking"'),
  );
  return Object.fromEntries(
    lines.map(([, labels = "", count]) => [/change="(\w+)"/.exec(labels)?.[1] ?? "", Number(count)]),
  );
}

async function listedRoute(): Promise<unknown> {
  const { stdout } = await airlock("routes", "--json");
  const routes: readonly { readonly name: string }[] = JSON.parse(stdout);
  return routes.find(({ name }) => name === "breaking");
}

test("a route that keeps breaking its contract is suspended, its run is parked, and the probe takes the route back", async () => {
  for (const name of ["broken-1", "broken-2"]) {
    expect(await cell.ended(await submit(name, "breaking"))).toMatchObject({ state: "completed" });
  }
  expect(await breakerMetric()).toEqual({ opened: 0, closed: 0 });
  const run = await submit("broken-3", "breaking");
  await eventWhere(cell.redis, run, ({ type }) => type === "attempt_parked");
  expect(await listedRoute()).toMatchObject({
    breaker: { state: "open", openUntil: expect.stringMatching(/Z$/), mismatches: 3 },
  });
  expect(await breakerMetric()).toEqual({ opened: 1, closed: 0 });
  await cell.redis.hset(globalKeys.breaker("breaking"), "openUntil", Date.now()); // the time of suspension is over
  expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 1 });
  const begun = (await eventsOf(cell, run))
    .map(({ type }) => type)
    .filter((type) => type.startsWith("attempt_"));
  expect(begun).toEqual([
    "attempt_opened",
    "attempt_begun",
    "attempt_committed",
    "attempt_opened",
    "attempt_parked",
    "attempt_begun",
    "attempt_committed",
  ]);
  expect(await readBreaker(cell.redis, "breaking")).toEqual({
    state: "closed",
    openUntil: null,
    mismatches: 0,
  });
  expect(await breakerMetric()).toEqual({ opened: 1, closed: 1 });
});

/** Which streamers have committed an attempt of one of the runs. */
async function workersOf(runs: readonly string[]): Promise<readonly ProcessName[]> {
  const logs = await Promise.all(STREAMERS.map((name) => cell.logOf(name)));
  const worked = (log: string): boolean =>
    log
      .split("\n")
      .some((line) => line.includes('"attempt_committed"') && runs.some((run) => line.includes(run)));
  return STREAMERS.filter((_, at) => worked(logs[at] ?? ""));
}

test("two streamers together never have more requests open than their route allows", async () => {
  const runs: string[] = [];
  for (let batch = 0; batch < 10 && (await workersOf(runs)).length < 2; batch += 1) {
    const submitted = await Promise.all(Array.from({ length: 6 }, () => submit("narrow", "narrow")));
    for (const run of submitted) expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    runs.push(...submitted);
  }
  expect(await workersOf(runs)).toEqual(STREAMERS);
  const ids = new Set(requestsOf("narrow").map(({ requestId }) => requestId));
  expect(ids.size).toBe(runs.length);
  let open = 0;
  const counts = seen.flatMap(({ event }) => {
    if (!ids.has(event.requestId)) return [];
    open += event.type === "request_played" ? 1 : -1;
    return [open];
  });
  expect(Math.max(...counts)).toBe(1);
});

function requestsOf(name: string): readonly { readonly requestId: string; readonly at: number }[] {
  return seen.flatMap(({ at, event }) =>
    event.type === "request_played" && event.case === `case/${name}`
      ? [{ requestId: event.requestId, at }]
      : [],
  );
}

test("after a refusal by rate limit no streamer asks the route before its Retry-After is over", async () => {
  const first = await submit("limited", "limited");
  await until("the refusal", () => Promise.resolve(requestsOf("limited").length > 0));
  await eventWhere(cell.redis, first, ({ type }) => type === "attempt_committed");
  // It says so in its log a moment after it has told Redis.
  await until("the streamer that was refused", async () => (await workersOf([first])).length > 0);
  const [refused] = await workersOf([first]);
  if (refused === undefined) throw new Error("no streamer was refused");
  // the other one never saw the refusal
  await cell.kill(refused);
  const others = await Promise.all(Array.from({ length: 3 }, () => submit("after", "limited")));
  for (const run of [first, ...others]) expect(await cell.ended(run)).toMatchObject({ state: "completed" });
  const [refusal, ...later] = [...requestsOf("limited"), ...requestsOf("after")].map(({ at }) => at);
  expect(later).toHaveLength(4);
  expect(Math.min(...later) - (refusal ?? 0)).toBeGreaterThanOrEqual(2_000);
});
