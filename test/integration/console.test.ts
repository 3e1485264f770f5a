import { createKeyrings } from "@airlock/core/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestConsole, type TestConsole } from "../support/console.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
let console: TestConsole;

beforeAll(async () => {
  server = await startRedis();
  console = await startTestConsole({ redis: server.redis, keyrings: createKeyrings() });
});
afterAll(async () => {
  await console.close();
  await server.close();
});

describe("the console", () => {
  test("signs a person in, and out", async () => {
    const visitor = await console.login("viewer");
    expect((await visitor.get("/")).status).toBe(200);
    expect((await visitor.send("POST", "/logout")).status).toBe(303);
    expect((await visitor.get("/")).status).toBe(303);
  });

  test("takes a token", async () => {
    expect((await console.ask("viewer", "GET", "/")).status).toBe(200);
  });
});
