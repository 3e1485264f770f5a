import { createKeyrings } from "@airlock/core/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestConsole, type TestConsole, type Visitor } from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const keyrings = createKeyrings();
const PATIENT = { timeout: 30_000, interval: 50 };
const SPEC = { route: "gateway", model: "m", instructions: "", input: "do it", policy: "ci-default" };

let server: RedisServer;
let console: TestConsole;

beforeAll(async () => {
  server = await startRedis();
  console = await startTestConsole({ redis: server.redis, keyrings });
});
afterAll(async () => {
  await console.close();
  await server.close();
});

interface Stream {
  readonly status: number;
  readonly ended: () => boolean;
  readonly leave: () => Promise<void>;
}

async function open(visitor: Visitor, path: string): Promise<Stream> {
  const answer = await visitor.get(path, { accept: "text/event-stream" });
  let over = false;
  const reader = answer.body?.getReader();
  const readAll = async (from: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
    while (!(await from.read()).done);
  };
  void (reader === undefined ? Promise.resolve() : readAll(reader))
    .catch(() => undefined)
    .finally(() => (over = true));
  return { status: answer.status, ended: () => over, leave: async () => reader?.cancel() };
}

async function submitted(): Promise<string> {
  const answer = await console.ask("submitter", "POST", "/api/v1/runs", { spec: SPEC });
  const { id } = (await answer.json()) as { readonly id: string };
  return id;
}

const PLACES = ["/live/clock", "/live/feed", "run", "events"] as const;

async function placeOf(place: (typeof PLACES)[number]): Promise<string> {
  if (place === "run") return `/live/runs/${await submitted()}`;
  return place === "events" ? `/api/v1/runs/${await submitted()}/events` : place;
}

describe("an open stream", () => {
  test.each(PLACES)("of %s ends when whoever opened it signs out, and another's does not", async (place) => {
    const path = await placeOf(place);
    const [leaving, staying] = [await console.login("viewer"), await console.login("viewer")];
    const [first, second] = [await open(leaving, path), await open(staying, path)];
    expect([first.status, second.status]).toEqual([200, 200]);
    await leaving.send("POST", "/logout");
    await expect.poll(first.ended, PATIENT).toBe(true);
    expect(second.ended()).toBe(false);
    await second.leave();
  });

  test.each(PLACES)("of %s ends when a role is taken away", async (place) => {
    const path = await placeOf(place);
    const user = console.deps.users.users.find(({ name }) => name === "approver-2");
    if (user === undefined) throw new Error("no such user");
    const stream = await open(await console.login("approver-2"), path);
    const { roles } = user;
    user.roles = ["submitter"];
    try {
      await expect.poll(stream.ended, PATIENT).toBe(true);
    } finally {
      user.roles = roles;
    }
  });

  test("does not keep a session that rests from its end", async () => {
    const own = await startTestConsole({ redis: server.redis, keyrings, config: { sessionIdleMs: 5_000 } });
    try {
      const stream = await open(await own.login("viewer"), "/live/clock");
      await expect.poll(stream.ended, PATIENT).toBe(true);
    } finally {
      await own.close();
    }
  });
});
