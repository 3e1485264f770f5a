import { tmpdir } from "node:os";
import { realpathSync } from "node:fs";
import { parseRoutes } from "@airlock/core/run";
import { describe, expect, test } from "vitest";
import { specFromFlags, type SpecFlags } from "../../src/spec/index.ts";

const FLAGS: SpecFlags = {
  input: "Fix the failing test",
  route: "one",
  policy: "ci-default",
  model: undefined,
  tools: undefined,
  repo: undefined,
  ref: undefined,
  instructions: undefined,
  priority: undefined,
  labels: [],
};

const ROUTES = parseRoutes(
  `routes:
  one: { family: responses, baseUrl: cometapi, models: [only] }
  two: { family: responses, baseUrl: cometapi, models: [a, b] }
  any: { family: responses, baseUrl: cometapi, models: ["**"] }
`,
  "routes.yaml",
);
const place = { folder: tmpdir(), routes: () => ROUTES };

describe("the flags of `run`", () => {
  test("give a whole spec", () => {
    const flags = {
      ...FLAGS,
      tools: "read_file, apply_patch",
      repo: ".",
      priority: "9",
      labels: ["team=a=b"],
    };
    expect(specFromFlags(flags, place)).toMatchObject({
      input: "Fix the failing test",
      route: "one",
      model: "only",
      policy: "ci-default",
      tools: ["read_file", "apply_patch"],
      workspace: { source: realpathSync(tmpdir()), ref: "HEAD" },
      priority: 9,
      labels: { team: "a=b" },
    });
  });

  test("name no workspace where there is no --repo", () => {
    expect(specFromFlags(FLAGS, place).workspace).toBeUndefined();
  });

  test("don't read the routes where the model is named", () => {
    const routes = (): never => {
      throw new Error("they were read");
    };
    expect(specFromFlags({ ...FLAGS, model: "m" }, { ...place, routes }).model).toBe("m");
  });

  test.each([
    [{ route: "two" }, /name a model with --model; route "two" takes a, b/],
    [{ route: "any" }, /name a model with --model/],
    [{ route: "none" }, /route "none" is none of: one, two, any/],
    [{ labels: ["team"] }, /--label team: write it as name=value/],
    [{ priority: "high" }, /the flags of `airlock run`\n {2}priority: /],
    [{ repo: "nope" }, /--repo: there is nothing at /],
  ])("%j are refused with the fix", (flags, message) => {
    expect(() => specFromFlags({ ...FLAGS, ...flags }, place)).toThrow(message);
  });
});
