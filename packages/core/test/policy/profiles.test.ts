import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import { BUILTIN_MANIFESTS, createCatalog, resourceClaims } from "@airlock/core/tool";

const folder = path.resolve(import.meta.dirname, "../../../../config/policies");
const catalog = createCatalog(BUILTIN_MANIFESTS);

function outcome(profile: string, tool: string, args: JsonObject): string {
  const name = `${profile}.yaml`;
  const manifest = catalog.get(tool);
  if (manifest === undefined) throw new Error(`no tool ${tool}`);
  const policy = loadPolicy({ name, text: readFileSync(path.join(folder, name), "utf8") });
  const claims = resourceClaims(manifest, args);
  const decided = evaluatePolicy(policy, { tool, effect: manifest.effect, arguments: args, claims });
  return `${decided.decision} by ${decided.winning}`;
}

describe("the shipped profiles", () => {
  test("are these, and their examples hold", () => {
    const names = readdirSync(folder).toSorted();
    expect(names).toEqual(["ci-default.yaml", "read-only.yaml"]);
    for (const name of names) {
      const policy = loadPolicy({ name, text: readFileSync(path.join(folder, name), "utf8") });
      expect(policy.digest).toMatch(/^[0-9a-f]{64}$/);
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
  ])("%s: %s %j", (...[profile, tool, args, expected]) => {
    expect(outcome(profile, tool, args)).toBe(expected);
  });
});
