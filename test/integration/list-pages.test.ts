import { createKeyrings, newRunId } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  listApprovalPage,
  listApprovals,
  listQuarantinePage,
  listUnknown,
  listUnknownPage,
  type ApprovalPage,
} from "@airlock/operator/document";
import { commandsOf } from "../support/command-counts.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { seedRun } from "../support/seeded-run.ts";

const keyrings = createKeyrings();
const FILTER = { run: null, errorClass: null, state: null } as const;
const CURSOR = { code: "USAGE", message: expect.stringContaining("cursor") as unknown };
const NO_CURSORS = ["", "x", "1.2", "5.__proto__", "1.r00000000000000000000.1.1.0 LIMIT", "-inf.r0.1.1.0"];

let server: RedisServer;
let console: TestConsole;
let deps: { readonly redis: RedisServer["redis"]; readonly keyring: (typeof keyrings)["console"] };

beforeAll(async () => {
  server = await startRedis({ appendfsync: "everysec" });
  console = await startTestConsole({ redis: server.redis, keyrings });
  deps = { redis: server.redis, keyring: keyrings.console };
});
afterAll(async () => {
  await console.close();
  await server.close();
});
beforeEach(() => server.redis.flushall());

/** Every id of every page, by page. */
async function walk(
  ask: (cursor: string | null) => Promise<{ readonly ids: readonly string[]; readonly next: string | null }>,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: string | null = null;
  do {
    const page = await ask(cursor);
    pages.push(page.ids);
    cursor = page.next;
  } while (cursor !== null);
  return pages;
}

describe("calls that wait for people", () => {
  /** So many calls in each run; all of one run expire in the same millisecond. */
  async function wait(...runs: readonly number[]): Promise<readonly string[]> {
    const items: string[] = [];
    for (const [at, calls] of runs.entries()) {
      const call = {
        tool: "run_command",
        state: "AWAITING_APPROVAL",
        expiresInMs: 600_000 * (at + 1),
      } as const;
      const { itemKeys } = await seedRun(
        { redis: server.redis, keyrings },
        { turns: [Array.from({ length: calls }, () => call)] },
      );
      items.push(...itemKeys.flat().toSorted());
    }
    return items;
  }
  const idsOf = ({ approvals, next }: ApprovalPage) => ({
    ids: approvals.map(({ itemKey }) => itemKey),
    next,
  });
  const page = async (cursor: string | null, limit = 4) =>
    idsOf(await listApprovalPage(deps, { cursor, limit }));

  test("are each on one page, the first to expire first, however many expire at once", async () => {
    const items = await wait(9, 1, 2);
    const pages = await walk((cursor) => page(cursor));
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4]);
    expect(pages.flat()).toEqual(items);
    expect((await listApprovals(deps)).map(({ itemKey }) => itemKey)).toEqual(items);
    expect((await listApprovals(deps, 5)).map(({ itemKey }) => itemKey)).toEqual(items.slice(0, 5));
  });

  test("are not passed over when others are answered, or asked about anew, between two pages", async () => {
    const items = await wait(4, 4);
    const first = await page(null);
    await server.redis.zrem(globalKeys.approvals, items[0] ?? "", items[1] ?? "");
    await server.redis.zadd(globalKeys.approvals, Date.now() + 9_000_000, items[3] ?? "");
    expect((await page(first.next)).ids).toEqual(items.slice(4));
  });

  test("that can't be read, or wait no longer, keep no other from the list", async () => {
    const [gone = "", odd = "", forged = "", ...rest] = await wait(1, 1, 1, 1);
    const call = (item: string) => runKeys(item.split(".")[0] ?? "").call(item);
    await server.redis.del(call(gone));
    await server.redis.hset(call(odd), "grant", "many");
    await server.redis.hset(call(forged), "askRecord", "{}");
    expect((await page(null)).ids).toEqual(rest);
    const [other = "", last = ""] = await wait(1, 1);
    await server.redis.hset(runKeys(other.split(".")[0] ?? "").run, "state", "levitating");
    expect((await page(null)).ids.toSorted()).toEqual([...rest, last].toSorted());
  });

  test("cost a page what it shows of them, not what there is of them", async () => {
    await wait(100, 100, 100);
    const asked = await commandsOf(server.redis, () => listApprovalPage(deps, { cursor: null, limit: 10 }));
    // of each that is looked at its record and its answers
    expect(asked.get("hgetall")).toBeLessThanOrEqual(40);
    expect(asked.get("hmget")).toBe(1);
    expect(asked.get("zrangebyscore")).toBe(1);
  });

  test("none of which waits any more end a page after so many, which says where to go on", async () => {
    const stale = Array.from({ length: 1_100 }, (_, at) => [
      Date.now() + 600_000 + at,
      `${newRunId()}.1.1.0`,
    ]);
    await server.redis.zadd(globalKeys.approvals, ...stale.flat());
    const [item] = await wait(1, 1);
    await server.redis.zadd(globalKeys.approvals, Date.now() + 9_000_000, item ?? "");
    const asked = await commandsOf(server.redis, async () =>
      expect(await page(null)).toMatchObject({ ids: [] }),
    );
    expect(asked.get("hgetall")).toBeLessThanOrEqual(520);
    expect((await walk((cursor) => page(cursor))).flat()).toContain(item);
  });

  test.each(NO_CURSORS)("are not listed from the place %j", async (cursor) => {
    await expect(listApprovalPage(deps, { cursor, limit: 1 })).rejects.toMatchObject(CURSOR);
  });

  test("are paged by the interface and by the page alike", async () => {
    const items = await wait(60);
    const ask = async (query: string): Promise<ApprovalPage> =>
      (await (await console.ask("viewer", "GET", `/api/v1/approvals?${query}`)).json()) as ApprovalPage;
    const first = await ask("limit=25");
    const rest = await ask(`limit=200&cursor=${first.next}`);
    expect([...idsOf(first).ids, ...idsOf(rest).ids]).toEqual(items);
    expect(rest.next).toBeNull();
    const html = async (path: string) => (await console.ask("viewer", "GET", path)).text();
    const shown = (text: string) =>
      [...text.matchAll(/href="\/approvals\/([^"]+)"/g)].map(([, item]) => item);
    const one = await html("/approvals");
    const two = await html(/href="([^"]+)" rel="next"/.exec(one)?.[1] ?? "");
    expect([...shown(one), ...shown(two)]).toEqual(items);
    expect([one.includes("Approvals (50+)"), two.includes('rel="next"'), one.includes("data-live")]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("calls of unknown outcome", () => {
  async function lose(count: number): Promise<readonly string[]> {
    const run = newRunId();
    const items = Array.from({ length: count }, (_, at) => `${run}.1.1.${at}`);
    const entry = { fence: 2, owner: "e", grant: 1, digest: "d", tool: "run_command", effect: "mutating" };
    for (const [at, item] of items.entries()) {
      const unknownAt = 1_000 + at;
      const fields = { ...entry, state: "NEEDS_HUMAN", leaseUntil: 0, unknownAt };
      await server.redis.hset(runKeys(run).ledger(item), fields);
      await server.redis.sadd(runKeys(run).unknown, item);
      await server.redis.zadd(globalKeys.unknowns, unknownAt, item);
    }
    return items;
  }
  const page = async (cursor: string | null, run: string | null = null) => {
    const { calls, next } = await listUnknownPage(deps, { run, cursor, limit: 3 });
    return { ids: calls.map(({ itemKey }) => itemKey), next };
  };

  test("are each on one page, the oldest first; one that was settled meanwhile is left out", async () => {
    const items = await lose(8);
    const settled = items[4] ?? "";
    await server.redis.hset(runKeys(settled.split(".")[0] ?? "").ledger(settled), "state", "EXECUTED");
    const left = items.filter((item) => item !== settled);
    const pages = await walk((cursor) => page(cursor));
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(left);
    expect((await listUnknown(deps, null)).map(({ itemKey }) => itemKey)).toEqual(left);
  });

  test("of one run are read from that run alone", async () => {
    await lose(200);
    const own = await lose(2);
    const run = own[0]?.split(".")[0] ?? "";
    const asked = await commandsOf(server.redis, async () =>
      expect(await page(null, run)).toEqual({ ids: own, next: null }),
    );
    expect(asked.get("hgetall")).toBe(4);
    expect(await listUnknown(deps, "no run")).toEqual([]);
  });

  test.each(NO_CURSORS)("are not listed from the place %j", async (cursor) => {
    await expect(page(cursor)).rejects.toMatchObject(CURSOR);
  });

  test("fill no more than a page of the console", async () => {
    await lose(60);
    const html = await (await console.ask("viewer", "GET", "/unknown")).text();
    expect(html.match(/class="card"/g)).toHaveLength(50);
    const next = /href="([^"]+)" rel="next"/.exec(html)?.[1] ?? "";
    const rest = await (await console.ask("viewer", "GET", next)).text();
    expect(rest.match(/class="card"/g)).toHaveLength(10);
    expect(rest).not.toContain('rel="next"');
  });
});

describe("runs with something refused", () => {
  /** Ended short, so that each is an entry by itself. */
  async function refuse(
    count: number,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    const runs = Array.from({ length: count }, newRunId);
    const pipeline = server.redis.pipeline();
    for (const [at, run] of runs.entries()) {
      const record = {
        route: "r",
        model: "m",
        policy: "p",
        requestedBy: "ann",
        labels: "{}",
        createdAt: "1",
      };
      pipeline.hset(runKeys(run).run, { ...record, state: "escalated", turn: "0", ...fields });
      pipeline.zadd(globalKeys.quarantine, 1_000 + at, run);
    }
    await pipeline.exec();
    return runs.toReversed();
  }
  const page = async (cursor: string | null, filter: object = {}, limit = 7) => {
    const { entries, next } = await listQuarantinePage(deps, { ...FILTER, ...filter, cursor, limit });
    return { ids: entries.map(({ id }) => id), next };
  };

  test("are each on one page, the latest first", async () => {
    const runs = await refuse(50);
    const pages = await walk((cursor) => page(cursor));
    expect(pages.flat()).toEqual(runs);
    expect(pages.at(-1)).toHaveLength(1);
  });

  test("one of which has more refusals than a page holds goes on within it", async () => {
    const calls = ["DENIED", "EXECUTED", "DENIED", "QUARANTINED", "DENIED"] as const;
    const turns = [calls.map((state) => ({ tool: "write_file", state }))];
    const fields = { state: "denied" };
    const { run } = await seedRun({ redis: server.redis, keyrings }, { turns, fields });
    for (const [ordinal, settled] of calls.entries())
      await server.redis.hset(runKeys(run).call(`${run}.1.1.${ordinal}`), { settled });
    const [older = ""] = await refuse(1);
    await server.redis.zadd(globalKeys.quarantine, 5_000, run);
    const own = [run, `${run}.1.1.0`, `${run}.1.1.2`, `${run}.1.1.3`, `${run}.1.1.4`];
    for (const limit of [1, 2, 3, 5, 6]) {
      expect((await walk((cursor) => page(cursor, {}, limit))).flat()).toEqual([...own, older]);
      expect((await walk((cursor) => page(cursor, { run }, limit))).flat()).toEqual(own);
    }
  });

  test("none of which fits end a page after so many, which says where to go on", async () => {
    await refuse(250);
    const filter = { state: "abandoned" };
    const asked = await commandsOf(server.redis, async () => {
      const { ids, next } = await page(null, filter);
      expect([ids, next]).toEqual([[], expect.any(String)]);
      expect(await page(next, filter)).toEqual({ ids: [], next: null });
    });
    expect(asked.get("zrevrangebyscore")).toBeLessThan(20);
    const html = await (await console.ask("viewer", "GET", "/quarantine?state=abandoned")).text();
    expect(html).toMatch(/href="\/quarantine\?state=abandoned&(amp;)?cursor=[\d.r\w]+" rel="next"/);
  });

  test("of many calls fill a page sooner", async () => {
    await refuse(30, { calls: "600" });
    const asked = await commandsOf(server.redis, async () =>
      expect((await page(null, { state: "passed" })).next).not.toBeNull(),
    );
    expect(asked.get("hgetall")).toBeLessThanOrEqual(5);
  });

  test.each([...NO_CURSORS, "1.r00000000000000000000", "1.r00000000000000000000.x"])(
    "are not listed from the place %j",
    async (cursor) => {
      await expect(page(cursor)).rejects.toMatchObject(CURSOR);
    },
  );
});
