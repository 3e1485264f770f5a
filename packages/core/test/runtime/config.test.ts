import { describe, expect, test } from "vitest";
import { checkConfig, loadConfig, SERVICES, SETTINGS } from "@airlock/core/runtime";

describe("the configuration", () => {
  test("has the documented defaults, and is frozen", () => {
    const config = loadConfig(["redisUrl", "healthPort", "sources", "durability"], {});
    expect(config).toEqual({
      redisUrl: "redis://127.0.0.1:6379",
      healthPort: 0,
      sources: [],
      durability: "strict",
    });
    expect(Object.isFrozen(config)).toBe(true);
    expect(() => Object.assign(config, { durability: "relaxed" })).toThrow(TypeError);
  });

  test("reads what is set", () => {
    const environment = {
      REDIS_URL: "rediss://u:p@redis.example:6380/1",
      AIRLOCK_HEALTH_PORT: "8080",
      AIRLOCK_SOURCES: "/srv/a, /srv/b,,",
    };
    expect(loadConfig(["redisUrl", "healthPort", "sources"], environment)).toEqual({
      redisUrl: "rediss://u:p@redis.example:6380/1",
      healthPort: 8080,
      sources: ["/srv/a", "/srv/b"],
    });
  });

  test("names all that is wrong at once: bad values, missing ones, and unknown variables with a suggestion", () => {
    const environment = {
      AIRLOCK_LOCK_MS: "soon",
      AIRLOCK_HEALTH_PORT: "70000",
      AIRLOCK_KEYRNG: "/keys.json",
      HOME: "/root",
    };
    expect(() => loadConfig(["lockMs", "healthPort", "keyring"], environment)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringMatching(
          /(?=[^]*AIRLOCK_KEYRNG is not a setting; did you mean AIRLOCK_KEYRING\?)(?=[^]*AIRLOCK_LOCK_MS: )(?=[^]*AIRLOCK_HEALTH_PORT: )(?=[^]*AIRLOCK_KEYRING is not set: )/,
        ),
      }),
    );
  });

  test("of a service is checked as a whole, its own settings and the shared ones", () => {
    const environment = { AIRLOCK_LOCK_MS: "soon", AIRLOCK_SWEEP_MS: "0", AIRLOCK_KEYRING: "k" };
    expect(() => checkConfig("validator", environment)).toThrow(
      /(?=[^]*AIRLOCK_LOCK_MS: )(?=[^]*AIRLOCK_SWEEP_MS: )/,
    );
    expect(() => checkConfig("streamer", environment)).toThrow(
      /^(?![^]*AIRLOCK_SWEEP_MS)[^]*AIRLOCK_LOCK_MS/,
    );
    for (const service of SERVICES) {
      checkConfig(service, { AIRLOCK_KEYRING: "k", AIRLOCK_USERS: "u", AIRLOCK_APPROVER_KEYRING: "a" });
    }
  });

  test.each([
    ["redisUrl", "REDIS_URL", ["http://x", "redis", ""]],
    ["pool", "AIRLOCK_POOL", ["", "A", "a.b", "a:b", "a".repeat(33)]],
    ["serviceUser", "AIRLOCK_SERVICE_USER", ["root", "0", "1:", ":1", "1:1:1"]],
    ["durability", "AIRLOCK_DURABILITY", ["", "none", "Strict"]],
    ["concurrency", "AIRLOCK_CONCURRENCY", ["0", "-1", "1.5", "", "many"]],
  ] as const)("refuses for %s in %s each of %j", (name, env, values) => {
    for (const value of values) expect(() => loadConfig([name], { [env]: value })).toThrow(`${env}: `);
  });
});

test("every setting's own default is one that it takes", () => {
  const refused = Object.values(SETTINGS).filter(
    ({ schema, fallback }) => fallback !== null && !schema.safeParse(fallback).success,
  );
  expect(refused.map(({ env }) => env)).toEqual([]);
});

test.each([
  ["AIRLOCK_SWEEPMS", "AIRLOCK_SWEEP_MS"],
  ["AIRLOCK_REDIS_URL", "REDIS_URL"],
  ["AIRLOCK_COMETAPI_KEY", "COMETAPI_KEY"],
])("%s is not a setting, and %s is suggested for it", (name, suggested) => {
  expect(() => loadConfig([], { [name]: "x" })).toThrow(
    `${name} is not a setting; did you mean ${suggested}?`,
  );
});
