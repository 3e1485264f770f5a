import { expect, test } from "vitest";
import type { RouteDocument } from "@airlock/operator/document";
import { routeListText } from "../../src/view/index.ts";
import { paper } from "./screen.ts";

const CLOSED = { state: "closed", openUntil: null, mismatches: 0 } as const;
const ROUTE: RouteDocument = {
  name: "live",
  family: "anthropic",
  adapter: "anthropic@2",
  models: ["claude-*", "x\u001b[2J"],
  effects: "contract",
  limits: { concurrency: 4, requestsPerMinute: 60 },
  verified: ["claude-a"],
  breaker: { state: "open", openUntil: "2026-01-01T00:00:00.000Z", mismatches: 5 },
  reports: [
    {
      covers: "claude-a",
      adapter: "anthropic@1",
      counts: false,
      scenario: "text",
      result: "passed",
      run: "r1",
    },
    {
      covers: "claude-a",
      adapter: "anthropic@2",
      counts: true,
      scenario: "text",
      result: "failed",
      run: "r2",
    },
  ],
};

test("shows how each route stands and what its reports say", () => {
  const plain = {
    ...ROUTE,
    name: "gateway",
    breaker: CLOSED,
    limits: { concurrency: null, requestsPerMinute: null },
    verified: [],
    reports: [],
  };
  const reading = { ...plain, name: "reading", effects: "read_only" } as const;
  const text = routeListText(paper(), [ROUTE, plain, reading]);
  expect(text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["ROUTE", "FAMILY", "MODELS", "CALLS", "BREAKER", "LIMITS"],
    [
      "live",
      "anthropic",
      "claude-*, x",
      "verified for claude-a",
      "open until 2026-01-01T00:00:00.000Z",
      "4 at once, 60 a minute",
    ],
    ["gateway", "anthropic", "claude-*, x", "none: unverified", "closed", "-"],
    ["reading", "anthropic", "claude-*, x", "reads only", "closed", "-"],
    [""],
    ["ROUTE", "MODELS", "ADAPTER", "SCENARIO", "RESULT"],
    ["live", "claude-a", "anthropic@1 (not in use)", "text", "passed"],
    ["live", "claude-a", "anthropic@2", "text", "failed"],
  ]);
});

test("says where there is nothing to show", () => {
  expect(routeListText(paper(), [])).toBe("no routes");
  expect(routeListText(paper(), [{ ...ROUTE, reports: [] }])).toContain("no contract reports");
});
