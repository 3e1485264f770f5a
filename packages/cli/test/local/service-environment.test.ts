import { serviceEnvironment } from "@airlock/cli";
import { SERVICES, SETTINGS } from "@airlock/core/runtime";
import { expect, test } from "vitest";

const PARENT = {
  PATH: "/usr/bin",
  HOME: "/root",
  NODE_OPTIONS: "--inspect",
  AWS_SECRET_ACCESS_KEY: "s",
  COMETAPI_KEY: "sk",
  AIRLOCK_LOG_LEVEL: "debug",
  AIRLOCK_GRANT_MS: "5",
  AIRLOCK_KEYRING: "/theirs",
};

test("a service gets PATH, its own settings, and nothing else of the parent's", () => {
  const given = { redisUrl: "redis://x", keyring: "/ours", sources: "/a" };
  expect(serviceEnvironment("validator", given, PARENT)).toEqual({
    PATH: "/usr/bin",
    REDIS_URL: "redis://x",
    AIRLOCK_KEYRING: "/ours",
    AIRLOCK_SOURCES: "/a",
    AIRLOCK_LOG_LEVEL: "debug",
    AIRLOCK_GRANT_MS: "5",
  });
});

test("the streamer alone gets the API key", () => {
  const holders = SERVICES.filter((service) => "COMETAPI_KEY" in serviceEnvironment(service, {}, PARENT));
  expect(holders).toEqual(["streamer"]);
});

test.each(SERVICES)("%s is handed no variable that it doesn't read", (service) => {
  const everything = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, "x"]));
  const read = Object.values(SETTINGS).flatMap(({ env, readers }) =>
    readers.some((reader) => reader === service) ? [env] : [],
  );
  const handed = Object.keys(serviceEnvironment(service, {}, everything));
  expect(handed.toSorted()).toEqual(["PATH", ...read].toSorted());
});
