import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { modelPattern, parseRoutes } from "@airlock/core/run";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dataPaths, findProgram, routesFile, routesText } from "../../src/local/index.ts";
import { choosePorts } from "../../src/local/ports.ts";
import { redisConfig } from "../../src/local/redis-program.ts";
import { prepareRoutes } from "../../src/local/routes-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the routes that `up` writes", () => {
  test("let the gateway play every fixture under one report", () => {
    const { cometapi: _, ...routes } = Object.fromEntries(
      parseRoutes(routesText("http://127.0.0.1:9"), "routes.yaml"),
    );
    expect(Object.entries(routes).map(([name, { family }]) => [name, family])).toEqual([
      ["gateway", "responses"],
      ["gateway-chat", "chat"],
      ["gateway-anthropic", "anthropic"],
      ["gateway-gemini", "gemini"],
    ]);
    const { gateway } = routes;
    expect(gateway).toMatchObject({ baseUrl: "http://127.0.0.1:9", reportCovers: "pattern" });
    if (gateway === undefined) throw new Error("there is no such route");
    expect(modelPattern(gateway, "replay/demo/fix-test")).toBe("replay/**");
    expect(modelPattern(gateway, "gpt-5")).toBeNull();
  });

  test("take any model of CometAPI, each under a report of its own", () => {
    const routes = parseRoutes(routesText(null), "routes.yaml");
    const cometapi = routes.get("cometapi");
    if (cometapi === undefined) throw new Error("there is no such route");
    expect([...routes.keys()]).toEqual(["cometapi"]);
    expect(cometapi).toMatchObject({ baseUrl: "cometapi", reportCovers: "model" });
    expect(["gpt-5", "vendor/model-1.5"].map((model) => modelPattern(cometapi, model))).toEqual(["**", "**"]);
  });

  test("give way to the operator's own file, but for the gateway", () => {
    mkdirSync(path.join(folder, "config"));
    const operators = path.join(folder, "config/routes.yaml");
    writeFileSync(operators, routesText(null));
    const place = { data: folder, environment: {}, folder };
    expect(prepareRoutes(place, null)).toBe(operators);
    expect(routesFile(place)).toBe(operators);
    expect(prepareRoutes(place, "http://127.0.0.1:9")).toBe(dataPaths(folder).routes);
    expect(routesFile(place)).toBe(dataPaths(folder).routes);
    const named = { ...place, environment: { AIRLOCK_ROUTES: "mine.yaml" } };
    expect(prepareRoutes(named, null)).toBe(path.join(folder, "mine.yaml"));
  });
});

test("the embedded Redis acknowledges nothing that isn't on the disk, and nobody else can reach it", () => {
  const lines = redisConfig({ redis: '/a "b"', redisUsers: '/a "b"/users' }, 7).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "bind 127.0.0.1",
      'aclfile "/a \\"b\\"/users"',
      "appendonly yes",
      "appendfsync always",
      "maxmemory-policy noeviction",
      'dir "/a \\"b\\""',
    ]),
  );
});

test("a program is found by name, in order, where it can be run", () => {
  for (const [name, mode] of [
    ["one", 0o644],
    ["two", 0o755],
  ] as const) {
    writeFileSync(path.join(folder, name), "#!/bin/sh\n");
    chmodSync(path.join(folder, name), mode);
  }
  mkdirSync(path.join(folder, "three"));
  expect(findProgram(["one", "three", "two"], `relative:${folder}`)).toBe(path.join(folder, "two"));
  expect(findProgram(["one"], folder)).toBeNull();
});

describe("ports", () => {
  test("are free ones, each another", async () => {
    const ports = Object.values(await choosePorts(null));
    expect(new Set(ports).size).toBe(7);
  });

  test("that are taken are refused by number", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(choosePorts(port)).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: expect.stringContaining(`127.0.0.1:${port} (for the gateway)`),
    });
    server.close();
  });
});
