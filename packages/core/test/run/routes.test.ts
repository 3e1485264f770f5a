import { describe, expect, test } from "vitest";
import { modelPattern, parseRoutes, reportScope, type Route } from "@airlock/core/run";

const GATEWAY = ["routes:", "  gateway:", "    family: responses", "    baseUrl: http://127.0.0.1:1"];

function routeOf(lines: readonly string[]): Route {
  const route = parseRoutes([...GATEWAY, ...lines].join("\n"), "routes.yaml").get("gateway");
  if (route === undefined) throw new Error("no route");
  return route;
}

describe("a routes file", () => {
  test("gets the defaults that ask for the most", () => {
    expect(routeOf(["    models: [m]"])).toEqual({
      family: "responses",
      baseUrl: "http://127.0.0.1:1",
      models: ["m"],
      reportCovers: "model",
      effects: "contract",
      limits: { concurrency: null, requestsPerMinute: null },
      closingMarker: "required",
      boundary: "response",
      deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 900_000 },
    });
  });

  test.each<[string, string, RegExp]>([
    ["is not YAML", "routes: [", /routes\.yaml: .*line 1/s],
    ["names a route twice", "routes:\n  a: {}\n  a: {}\n", /routes\.yaml: .*unique.*line 3/s],
    ["is empty", "", /routes\.yaml:\n {2}\(top\): /],
    ["has no routes", "route: {}", /routes\.yaml:(?=[^]*routes: )(?=[^]*"route")/],
    ["has a route with a bad name", "routes: { A_B: {} }", /routes\.A_B: /],
    [
      "has several wrong keys",
      [...GATEWAY, "    models: []", "    effects: all", "    deadline: {}"].join("\n"),
      /(?=[^]*routes\.gateway\.models: )(?=[^]*routes\.gateway\.effects: )(?=[^]*"deadline")/,
    ],
    [
      "has another family",
      "routes: { a: { family: x, baseUrl: cometapi, models: [m] } }",
      /routes\.a\.family: /,
    ],
    [
      "runs single items of a family that doesn't say when one is whole",
      "routes: { a: { family: chat, baseUrl: cometapi, models: [m], boundary: item } }",
      /routes\.a\.boundary: item is for families .*: responses, anthropic/,
    ],
    [
      "has an address that is no URL",
      "routes: { a: { family: responses, baseUrl: x, models: [m] } }",
      /baseUrl: /,
    ],
    [
      "has an address that is no HTTP",
      "routes: { a: { family: responses, baseUrl: 'file:///etc', models: [m] } }",
      /baseUrl: /,
    ],
  ])("that %s is refused", (_, text, message) => {
    expect(() => parseRoutes(text, "routes.yaml")).toThrow(
      expect.objectContaining({ code: "ROUTES_INVALID", message: expect.stringMatching(message) }),
    );
  });
});

test.each(["responses", "anthropic"])("a route of the family %s may run single items", (family) => {
  const text = `routes: { a: { family: ${family}, baseUrl: cometapi, models: [m], boundary: item } }`;
  expect(parseRoutes(text, "routes.yaml").get("a")).toMatchObject({ family, boundary: "item" });
});

describe("a route", () => {
  const route = routeOf(["    models: [exact, 'replay/**', 'v*']"]);
  test.each([
    ["exact", "exact"],
    ["replay/a", "replay/**"],
    ["replay/a/b", "replay/**"],
    ["v1", "v*"],
    ["v1/x", null],
    ["exact2", null],
    ["Exact", null],
    ["", null],
  ])("takes the model %j by the pattern %j", (model, pattern) => {
    expect(modelPattern(route, model)).toBe(pattern);
  });

  test("needs a report for the very model, or for the pattern where the operator says so", () => {
    expect(reportScope(route, "replay/a")).toBe("replay/a");
    expect(reportScope({ ...route, reportCovers: "pattern" }, "replay/a")).toBe("replay/**");
    expect(reportScope(route, "other")).toBeNull();
  });
});
