import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import type { JsonObject } from "@airlock/core/json";
import {
  DECISIONS,
  evaluatePolicy,
  loadPolicy,
  strictest,
  type Decision,
  type Policy,
  type PolicyDecision,
} from "@airlock/core/policy";
import { BUILTIN_MANIFESTS, createCatalog, resourceClaims } from "@airlock/core/tool";
import { policyText } from "./policy-text.ts";

const catalog = createCatalog(BUILTIN_MANIFESTS);
const SCOPES = [
  'paths: { read: { allow: ["**"], forbid: ["**/.env*", secret] }, write: { allow: ["src/**", "*.md"], forbid: ["**/.git", "**/*.pem"] } }',
];
const RULES = [
  "{ id: read, decision: allow, tool: read_file }",
  "{ id: list, decision: allow, tool: list_files }",
  "{ id: write, decision: allow, tool: write_file, reason: agents write here }",
  "{ id: write-flag, decision: flag, tool: write_file }",
  "{ id: patch, decision: approve, tool: apply_patch }",
  "{ id: listing, decision: allow, tool: run_command, command: { exe: ls } }",
];

function load(rules: readonly string[]): Policy {
  return loadPolicy({ name: "p.yaml", text: policyText(rules, [...SCOPES, "limits: { argsBytes: 400 }"]) });
}

function decide(policy: Policy, tool: string, args: JsonObject): PolicyDecision {
  const manifest = catalog.get(tool);
  if (manifest === undefined) throw new Error(`no tool ${tool}`);
  const claims = resourceClaims(manifest, args);
  return evaluatePolicy(policy, { tool, effect: manifest.effect, arguments: args, claims, place: null });
}

const policy = load(RULES);

function patch(path: string): JsonObject {
  return { patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n` };
}

describe("the strictest of decisions", () => {
  test("is the later one in the lattice, for every pair", () => {
    for (const [low, left] of DECISIONS.entries()) {
      for (const [high, right] of DECISIONS.entries()) {
        expect(strictest([left, right])).toBe(DECISIONS[Math.max(low, high)]);
      }
    }
  });

  test("is forbid of none and of an unknown one", () => {
    const unknown: Decision[] = JSON.parse('["allow","permit"]');
    expect([strictest([]), strictest(unknown)]).toEqual(["forbid", "forbid"]);
  });
});

describe("a decision", () => {
  test("names every matched rule, the winner, its reason and the policy's digest", () => {
    expect(decide(policy, "write_file", { path: "src/a", content: "" })).toEqual({
      decision: "flag",
      winning: "write-flag",
      reason: "rule write-flag decides flag",
      matched: [
        { rule: "write", decision: "allow", reason: "agents write here" },
        { rule: "write-flag", decision: "flag", reason: "rule write-flag decides flag" },
      ],
      policyDigest: policy.digest,
      approval: null,
    });
  });

  test.each<[string, JsonObject, string]>([
    ["read_file", { path: "a/b" }, "allow by read"],
    ["read_file", { path: ".env" }, "forbid by paths.read"],
    ["read_file", { path: "a/.ENV.local" }, "forbid by paths.read"],
    ["read_file", { path: "secret/below" }, "forbid by paths.read"],
    ["read_file", { path: "secrets" }, "allow by read"],
    ["read_file", { path: "../x" }, "forbid by paths.read"],
    ["list_files", { path: "." }, "allow by list"],
    ["write_file", { path: "README.md", content: "" }, "flag by write-flag"],
    ["write_file", { path: "docs/README.md", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src-evil/a", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src/.git/hooks/x", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src/.Git/config", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src/../.git/config", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src/e\u0301.PEM", content: "" }, "forbid by paths.write"],
    ["write_file", { path: ".", content: "" }, "forbid by paths.write"],
    ["write_file", { path: "src/a", content: "x".repeat(400) }, "forbid by limits.argsBytes"],
    ["apply_patch", patch("src/a"), "approve by patch"],
    ["apply_patch", patch(".github/workflows/ci.yml"), "forbid by paths.write"],
    ["apply_patch", { patch: "rename from src/a\nrename to .git/hooks/a\n" }, "forbid by paths.write"],
    ["apply_patch", { patch: "no patch at all" }, "forbid by paths.write"],
    ["run_command", { argv: ["ls"] }, "allow by listing"],
    ["run_command", { argv: ["rm"] }, "forbid by no-match"],
  ])("on %s %j is %s", (tool, args, expected) => {
    const decided = decide(policy, tool, args);
    expect(`${decided.decision} by ${decided.winning}`).toBe(expected);
  });

  test.each(["__proto__", "constructor", "read_file ", "unknown"])(
    "on a tool named %j is no match",
    (tool) => {
      const claims = { reads: [], writes: [], workspace: "none" } as const;
      expect(evaluatePolicy(policy, { tool, effect: "read", arguments: {}, claims, place: null })).toEqual({
        decision: "forbid",
        winning: "no-match",
        reason: "no rule names this call",
        matched: [{ rule: "no-match", decision: "forbid", reason: "no rule names this call" }],
        policyDigest: policy.digest,
        approval: null,
      });
    },
  );

  test("is forbid when the evaluator throws, and tells nothing of the arguments", () => {
    const hostile: JsonObject = {
      get path(): string {
        throw new Error("canary");
      },
    };
    const claims = { reads: [], writes: [], workspace: "none" } as const;
    const call = { tool: "read_file", effect: "read", arguments: hostile, claims, place: null } as const;
    const decided = evaluatePolicy(policy, call);
    expect([decided.decision, decided.winning]).toEqual(["forbid", "evaluator-error"]);
    expect(JSON.stringify(decided)).not.toContain("canary");
  });

  test("quotes no argument in a reason", () => {
    fc.assert(
      fc.property(fc.constantFrom("../", "src/", ".git/", ""), (prefix) => {
        const args = { path: `${prefix}canary7f3a`, content: "canary7f3a" };
        expect(JSON.stringify(decide(policy, "write_file", args))).not.toContain("canary7f3a");
      }),
    );
  });
});

const CALLS: readonly (readonly [string, JsonObject])[] = [
  ["read_file", { path: "a" }],
  ["read_file", { path: ".env" }],
  ["write_file", { path: "src/a", content: "" }],
  ["write_file", { path: ".git/a", content: "" }],
  ["apply_patch", patch("src/a")],
  ["run_command", { argv: ["ls"] }],
  ["run_command", { argv: ["ls", "-l", "src"] }],
  ["run_command", { argv: ["/bin/ls"] }],
  ["run_command", { argv: ["git", "push", "--force"] }],
];

const command = fc.constantFrom(
  "{ exe: ls }",
  "{ exe: ls, flags: { forbid: [-l] } }",
  "{ exe: git, sub: [push], flags: { forbid: [--force] } }",
  "{ exe: git, sub: [push] }",
);
const rule = fc.oneof(
  fc
    .record({
      decision: fc.constantFrom(...DECISIONS),
      tool: fc.constantFrom("read_file", "write_file", "apply_patch"),
    })
    .map(({ decision, tool }) => `decision: ${decision}, tool: ${tool}`),
  fc
    .record({ decision: fc.constantFrom(...DECISIONS), command })
    .map((made) => `decision: ${made.decision}, tool: run_command, command: ${made.command}`),
);

function decisions(policy: Policy): readonly Decision[] {
  return CALLS.map(([tool, args]) => decide(policy, tool, args).decision);
}

function rank(decision: Decision): number {
  return DECISIONS.indexOf(decision);
}

describe("adding a rule", () => {
  test("never loosens what a rule or a path scope decided, wherever it is put", () => {
    const input = fc.tuple(fc.array(rule, { minLength: 1, maxLength: 5 }), rule, fc.nat());
    fc.assert(
      fc.property(input, ([rules, added, seed]) => {
        const numbered = rules.map((body, index) => `{ id: r${index}, ${body} }`);
        const before = load(numbered);
        const after = load(numbered.toSpliced(seed % (numbered.length + 1), 0, `{ id: added, ${added} }`));
        for (const [tool, args] of CALLS) {
          const was = decide(before, tool, args);
          const is = decide(after, tool, args);
          // Only what no rule named at all can become permitted.
          const onlyUnnamed = was.matched.every((finding) => finding.rule === "no-match");
          expect(onlyUnnamed || rank(is.decision) >= rank(was.decision)).toBe(true);
        }
      }),
    );
  });

  test("does not depend on the order of rules", () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), (rules) => {
        const numbered = rules.map((body, index) => `{ id: r${index}, ${body} }`);
        expect(decisions(load(numbered.toReversed()))).toEqual(decisions(load(numbered)));
      }),
    );
  });
});
