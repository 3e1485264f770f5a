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
  expect: undefined,
  apply: false,
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
const place = { folder: tmpdir(), routes: ROUTES };

describe("what `--expect` asks for", () => {
  test.each([
    ["text", false, { kind: "text" }],
    ["json", false, { kind: "json" }],
    ["report:Summary, Tests", false, { kind: "report", sections: ["Summary", "Tests"] }],
    ["patch", false, { kind: "patch", files: [], apply: false }],
    ["patch:src/a.ts,src/b.ts", true, { kind: "patch", files: ["src/a.ts", "src/b.ts"], apply: true }],
    ["manifest:dist/x.js", false, { kind: "manifest", files: [{ path: "dist/x.js" }] }],
  ])("%s", (expect_, apply, expected) => {
    expect(specFromFlags({ ...FLAGS, expect: expect_, apply }, place).expect).toEqual(expected);
  });

  test.each([
    ["diff", false, /kind is text, json, report, patch or manifest/],
    ["json:a", false, /--expect json:a: only report, patch, manifest take names after a colon/],
    ["patch:/etc/passwd", false, /expect\.files\.0: must be a file's path below the workspace root/],
    ["manifest", false, /expect\.files: Too small/],
    ["report:", false, /expect\.sections: Too small/],
    ["toString:a", false, /take names after a colon/],
    ["text", true, /--apply is for --expect patch, not for text/],
    [undefined, true, /--apply needs --expect patch/],
  ])("%s is refused with the reason", (expect_, apply, message) => {
    expect(() => specFromFlags({ ...FLAGS, expect: expect_, apply }, place)).toThrow(message);
  });
});

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

  test("take a source of another machine as it is, if it is whole", () => {
    const there = { ...place, folder: null };
    expect(specFromFlags({ ...FLAGS, repo: "/srv/nowhere" }, there).workspace?.source).toBe("/srv/nowhere");
    expect(() => specFromFlags({ ...FLAGS, repo: "." }, there)).toThrow(
      /--repo: with AIRLOCK_URL the source is/,
    );
  });
});
