import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import { call } from "./call.ts";

const folder = path.resolve(import.meta.dirname, "../../../../config/policies");
const policies = new Map(
  readdirSync(folder).map((name) => [
    path.basename(name, ".yaml"),
    loadPolicy({ name, text: readFileSync(path.join(folder, name), "utf8") }),
  ]),
);

function outcome(profile: string, tool: string, args: JsonObject): string {
  const policy = policies.get(profile);
  if (policy === undefined) throw new Error(`there is no profile ${profile}`);
  const decided = evaluatePolicy(policy, call(tool, args));
  return `${decided.decision} by ${decided.winning}`;
}

describe("the shipped profiles", () => {
  test("are these, and their examples hold", () => {
    const names = readdirSync(folder).toSorted();
    expect(names).toEqual(["ci-default.yaml", "read-only.yaml", "strict.yaml"]);
    for (const policy of policies.values()) {
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

describe.each(["ci-default", "strict"])(
  "%s lets nobody write what runs or steers tools outside",
  (profile) => {
    test.each([
      [".eslintrc", ".eslintrc.cjs", ".lintstagedrc.mjs", ".mocharc.js", ".babelrc.js", ".swcrc", ".pnp.cjs"],
      [".pre-commit-config.yaml", ".npmignore", ".gitlab-ci.yml", ".gitattributes", ".npmrc", ".env.local"],
      [
        ".claude/settings.json",
        ".cursor/rules/a.md",
        ".codex/config.toml",
        ".aider.conf.yml",
        ".gemini/a.md",
      ],
      ["gulpfile.js", "Gruntfile.ts", "gruntfile.js", "lefthook.yml", "karma.conf.js", "vite.config.ts"],
      ["Makefile", "GNUmakefile", "rules.mk", "Justfile", "Rakefile", "Taskfile.yml", "Taskfile.dist.yaml"],
      [
        "Dockerfile",
        "Dockerfile.dev",
        "compose.yaml",
        "docker-compose.ci.yml",
        "binding.gyp",
        "CMakeLists.txt",
      ],
      [
        "AGENTS.md",
        "agents.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        "tsconfig.json",
        "tsconfig.a.json",
      ],
      ["package.json", "package.yaml", "yarn.lock", "bun.lock", "deno.json", "requirements-dev.txt", "a.pem"],
    ])("%s, …", (...names) => {
      const places = names.flatMap((name) => [name, `src/${name}`, `packages/api/test/${name}`]);
      const allowed = places.filter(
        (place) => outcome(profile, "write_file", { path: place, content: "" }) !== "forbid by paths.write",
      );
      expect(allowed).toEqual([]);
    });

    test("and keeps ordinary work possible", () => {
      const names = [
        "config.ts",
        "agents.ts",
        "a.test.js",
        "fixtures/a.json",
        "compose.ts",
        "package.ts",
        "a.conf",
      ];
      const forbidden = names.filter((name) =>
        outcome(profile, "write_file", { path: `packages/api/src/${name}`, content: "" }).startsWith(
          "forbid",
        ),
      );
      expect(forbidden).toEqual([]);
    });
  },
);

test("the first policy of the guide loads, and its examples hold", () => {
  const guide = readFileSync(path.resolve(folder, "../../docs/policy.md"), "utf8");
  const [, text = ""] = /```yaml\n(apiVersion.*?)```/s.exec(guide) ?? [];
  expect(loadPolicy({ name: "policy.md", text })).toMatchObject({ examples: 7, warnings: [] });
});
