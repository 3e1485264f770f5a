import { describe, expect, test } from "vitest";
import { evaluatePolicy, loadPolicy, placeFindings, type RunPlace } from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const READ = "{ id: read, decision: allow, tool: read_file }";
const SCOPES = [
  'paths: { read: { allow: ["**"] } }',
  "repos:",
  '  - { id: acme/api, branches: { allow: ["agent/**"], forbid: [main, "release/**", agent/locked] } }',
  "  - { id: git.example.org/acme/web, requireBaseRevision: true }",
];
const policy = loadPolicy({ name: "p.yaml", text: policyText([READ], SCOPES) });
const COMMIT = "a".repeat(40);

const API = "https://git.example.org/acme/api.git";
const WEB = "https://git.example.org/acme/web";

describe("a run's repository and branch", () => {
  test.each<[string, RunPlace, readonly string[]]>([
    ["an allowed branch", { source: API, ref: "agent/fix" }, []],
    ["the same as a full ref", { source: API, ref: "refs/heads/agent/fix" }, []],
    ["a path to the repository", { source: "/srv/acme/api", ref: "agent/a/b" }, []],
    ["a forbidden branch", { source: API, ref: "main" }, ["repos.branches"]],
    ["a forbidden branch in another case", { source: API, ref: "Main" }, ["repos.branches"]],
    ["a forbidden branch among allowed ones", { source: API, ref: "agent/locked" }, ["repos.branches"]],
    ["a branch that is not allowed", { source: API, ref: "topic" }, ["repos.branches"]],
    ["a name that only begins like an allowed one", { source: API, ref: "agent-evil/x" }, ["repos.branches"]],
    ["no branch: HEAD", { source: API, ref: "HEAD" }, ["repos.branches"]],
    ["no branch: a tag", { source: API, ref: "refs/tags/agent/fix" }, ["repos.branches"]],
    ["no branch: a commit", { source: API, ref: COMMIT }, ["repos.branches"]],
    ["a commit where one is required", { source: WEB, ref: COMMIT }, []],
    ["a branch with its commit", { source: WEB, ref: "main", baseRevision: COMMIT }, []],
    ["a branch without its commit", { source: WEB, ref: "main" }, ["repos.requireBaseRevision"]],
    [
      "a repository that is not named",
      { source: "https://git.example.org/acme/other", ref: "agent/x" },
      ["repos"],
    ],
    ["a longer name", { source: "https://git.example.org/acme/api-evil", ref: "agent/x" }, ["repos"]],
    ["a longer owner", { source: "https://git.example.org/evil-acme/api", ref: "agent/x" }, ["repos"]],
    ["another host", { source: "https://evil.example/acme/web", ref: COMMIT }, ["repos"]],
  ])("%s", (_name, place, rules) => {
    expect(placeFindings(policy, place).map(({ rule }) => rule)).toEqual(rules);
  });

  test("forbid every call of a run that is out of bounds, and are not asked where there is no run", () => {
    const request = call("read_file", { path: "a" }, { source: API, ref: "main" });
    const { decision, winning } = evaluatePolicy(policy, request);
    expect([decision, winning]).toEqual(["forbid", "repos.branches"]);
    expect(evaluatePolicy(policy, { ...request, place: null }).decision).toBe("allow");
  });

  test("do not matter where the policy names no repository", () => {
    const open = loadPolicy({ name: "p.yaml", text: policyText([READ]) });
    expect(placeFindings(open, { source: "/anywhere", ref: "main" })).toEqual([]);
  });
});
