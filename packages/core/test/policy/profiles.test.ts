import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import { call } from "./call.ts";

const folder = path.resolve(import.meta.dirname, "../../../../config/policies");
function outcome(profile: string, tool: string, args: JsonObject): string {
  const name = `${profile}.yaml`;
  const policy = loadPolicy({ name, text: readFileSync(path.join(folder, name), "utf8") });
  const decided = evaluatePolicy(policy, call(tool, args));
  return `${decided.decision} by ${decided.winning}`;
}

describe("the shipped profiles", () => {
  test("are these, and their examples hold", () => {
    const names = readdirSync(folder).toSorted();
    expect(names).toEqual(["ci-default.yaml", "read-only.yaml", "strict.yaml"]);
    for (const name of names) {
      const policy = loadPolicy({ name, text: readFileSync(path.join(folder, name), "utf8") });
      expect(policy.examples).toBeGreaterThan(5);
      expect(policy.warnings).toEqual([]);
    }
  });

  test.each<[string, string, JsonObject, string]>([
    ["ci-default", "read_file", { path: "src/a.js" }, "allow by read-files"],
    ["ci-default", "write_file", { path: "src/a.js", content: "" }, "allow by write-files"],
    ["ci-default", "write_file", { path: "src/.git/hooks/x", content: "" }, "forbid by paths.write"],
    ["ci-default", "run_command", { argv: ["node", "--test"] }, "allow by node-test"],
    ["ci-default", "run_command", { argv: ["node", "--test"], cwd: "../x" }, "forbid by no-match"],
    ["ci-default", "run_command", { argv: ["bash", "-lc", "node --test"] }, "forbid by no-bash"],
    ["ci-default", "run_command", { argv: ["rm", "-rf", "."] }, "forbid by no-match"],
    ["read-only", "read_file", { path: "src/a.js" }, "allow by read-files"],
    ["read-only", "write_file", { path: "src/a.js", content: "" }, "forbid by paths.write"],
    ["read-only", "run_command", { argv: ["ls"] }, "forbid by no-match"],
    ["strict", "read_file", { path: "src/a.js" }, "allow by read-files"],
    ["strict", "write_file", { path: "src/a.js", content: "" }, "approve by write-files"],
    ["strict", "write_file", { path: "src/a.js", content: "x".repeat(65_536) }, "forbid by limits.argsBytes"],
    ["strict", "run_command", { argv: ["node", "--test"] }, "approve by node-test"],
    ["strict", "run_command", { argv: ["env", "node", "--test"] }, "quarantine by unparseable"],
    ["strict", "run_command", { argv: ["curl", "a"] }, "forbid by no-match"],
  ])("%s: %s %j", (...[profile, tool, args, expected]) => {
    expect(outcome(profile, tool, args)).toBe(expected);
  });
});

test("the first policy of the guide loads, and its examples hold", () => {
  const guide = readFileSync(path.resolve(folder, "../../docs/policy.md"), "utf8");
  const [, text = ""] = /```yaml\n(apiVersion.*?)```/s.exec(guide) ?? [];
  expect(loadPolicy({ name: "policy.md", text })).toMatchObject({ examples: 7, warnings: [] });
});
