import { connectRedis, type Redis } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, { name: "gathering", onState: () => undefined });
  await redis.ping();
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

test("what is asked for at once is held until it is sent as one, in the order in which it was asked for", async () => {
  const pushed = [redis.rpush("list", "a"), redis.rpush("list", "b")];
  const transaction = redis.multi().rpush("list", "c").exec();
  const listed = redis.lrange("list", 0, -1);
  expect(redis.stream.writableCorked).toBe(1);
  await Promise.all([...pushed, transaction]);
  expect(redis.stream.writableCorked).toBe(0);
  expect(await listed).toEqual(["a", "b", "c"]);
});
