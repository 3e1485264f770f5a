import { createRouteBreaker } from "@airlock/core/run";
import type { Family } from "@airlock/core/wire";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { playTurns } from "../support/play-turns.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import { turnCases } from "../support/turn-case.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());
beforeEach(() => server.redis.flushall());

const PATIENT = { mismatches: 100, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const validators = new Map<Family, TestValidator>();
afterAll(() => Promise.all([...validators.values()].map((validator) => validator.close())));

function validatorFor(family: Family): TestValidator {
  const { redis } = server;
  const known =
    validators.get(family) ??
    createTestValidator(redis, { name: "gateway", family }, createRouteBreaker(redis, PATIENT));
  validators.set(family, known);
  return known;
}

test.each(turnCases())("%s", async (_, given) => {
  expect(await playTurns(validatorFor(given.family), server.redis, given)).toEqual(given.expected);
});
