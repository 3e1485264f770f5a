import { describe, expect, test } from "vitest";
import { checkMachine, type Facts } from "../../src/doctor/index.ts";

const GOOD: Facts = {
  nodeVersion: "v20.19.0",
  platform: "linux",
  gitVersion: "git version 2.39.5",
  redisProgram: "/usr/bin/redis-server",
  redis: {
    kind: "answers",
    place: "127.0.0.1:6379",
    version: "7.0.15",
    keeps: { holds: true, wait: null, detail: "appendfsync always" },
    relaxed: false,
    pools: [{ name: "default", live: 1, runs: 0 }],
  },
  flock: "/usr/bin/flock",
  coreDumps: { own: false, prlimit: "/usr/bin/prlimit" },
  bwrap: { path: "/usr/bin/bwrap", version: "bubblewrap 0.8.0" },
  sandbox: { ok: true, detail: "a program ran in one" },
  userNamespaces: { allowed: null, max: 1_000, appArmorRestricts: false },
  keys: { kind: "usable" },
  apiKeySet: true,
  settings: { ok: true, detail: "" },
  routes: { ok: true, detail: "" },
  tools: { ok: true, detail: "" },
  policies: { ok: true, detail: "" },
  repositories: { ok: true, detail: "" },
};

function problems(change: Partial<Facts>) {
  const found = checkMachine({ ...GOOD, ...change }).filter(({ status }) => status !== "ok");
  expect(found.filter(({ fix }) => fix === null)).toEqual([]);
  return found.map(({ name, status }) => `${status} ${name}`);
}

describe("the doctor", () => {
  test("finds nothing on a machine that has everything, and checks all of it", () => {
    const checks = checkMachine(GOOD);
    expect(checks.map(({ name }) => name)).toEqual([
      "node",
      "git",
      "redis",
      "durability",
      "pools",
      "flock",
      "core dumps",
      "bubblewrap",
      "user namespaces",
      "sandbox",
      "keys",
      "api key",
      "settings",
      "routes",
      "tools",
      "repositories",
      "policies",
    ]);
    expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(["ok"]));
  });

  const redis = GOOD.redis.kind === "answers" ? GOOD.redis : null;
  test.each<[string, Partial<Facts>, readonly string[]]>([
    ["an old Node.js", { nodeVersion: "v20.18.3" }, ["fail node"]],
    ["a newer Node.js", { nodeVersion: "v24.0.0" }, []],
    ["another system", { platform: "darwin" }, ["fail node"]],
    ["no git", { gitVersion: null }, ["fail git"]],
    ["no Redis running, but one to start", { redis: { kind: "unnamed" } }, []],
    ["no Redis at all", { redis: { kind: "unnamed" }, redisProgram: null }, ["fail redis"]],
    ["a silent Redis", { redis: { kind: "silent", place: "h:1", detail: "refused" } }, ["fail redis"]],
    ["an old Redis", { redis: { ...redis, version: "6.2.1" } as Facts["redis"] }, ["fail redis"]],
    [
      "a forgetful Redis",
      { redis: { ...redis, keeps: { holds: false, detail: "appendonly is no" } } as Facts["redis"] },
      ["fail durability"],
    ],
    ["relaxed durability", { redis: { ...redis, relaxed: true } as Facts["redis"] }, ["warn durability"]],
    ["no flock", { flock: null }, ["fail flock"]],
    ["core dumps that nobody forbids", { coreDumps: { own: false, prlimit: null } }, ["warn core dumps"]],
    ["no bubblewrap", { bwrap: { path: "/usr/bin/bwrap", version: null } }, ["fail bubblewrap"]],
    ["a broken sandbox", { sandbox: { ok: false, detail: "no" } }, ["fail sandbox"]],
    [
      "user namespaces switched off",
      { userNamespaces: { allowed: false, max: 1, appArmorRestricts: false } },
      ["fail user namespaces"],
    ],
    [
      "no user namespaces left",
      { userNamespaces: { allowed: true, max: 0, appArmorRestricts: false } },
      ["fail user namespaces"],
    ],
    [
      "AppArmor's restriction",
      { userNamespaces: { allowed: true, max: 1, appArmorRestricts: true } },
      ["warn user namespaces"],
    ],
    ["no keys yet", { keys: { kind: "absent" } }, []],
    ["broken keys", { keys: { kind: "unusable", detail: "x" } }, ["fail keys"]],
    ["no API key", { apiKeySet: false }, ["warn api key"]],
    ["a wrong setting", { settings: { ok: false, detail: "x" } }, ["fail settings"]],
    ["a wrong route", { routes: { ok: false, detail: "x" } }, ["fail routes"]],
    ["a wrong tool", { tools: { ok: false, detail: "x" } }, ["fail tools"]],
    ["no live executor", { redis: { ...redis, pools: [] } as Facts["redis"] }, ["warn pools"]],
    ["a wrong repositories file", { repositories: { ok: false, detail: "x" } }, ["fail repositories"]],
    ["a wrong policy", { policies: { ok: false, detail: "x" } }, ["fail policies"]],
  ])("with %s, names it with a fix", (_, change, expected) => {
    expect(problems(change)).toEqual(expected);
  });
});
