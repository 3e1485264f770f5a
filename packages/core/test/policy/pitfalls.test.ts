import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluateInView, evaluatePolicy, loadPolicy, type Policy } from "@airlock/core/policy";
import { loadPolicyFile, loadPolicyProfiles } from "@airlock/core/runtime";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

// Those about commands stand in command/pitfalls.test.ts, those that need a workspace in the executor's tests.

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-policies-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const SCOPES = [
  'paths: { read: { allow: ["**"] }, write: { allow: ["**"], forbid: [.git, .airlock, "**/né*"] } }',
];
const WRITE = "{ id: write, decision: allow, tool: write_file }";
const policy = loadPolicy({ name: "p.yaml", text: policyText([WRITE], SCOPES) });

function decision(of: Policy, tool: string, args: JsonObject): string {
  return evaluatePolicy(of, call(tool, args)).decision;
}

describe("each of these pitfalls is closed:", () => {
  test.each([
    "",
    "# nothing\n",
    "---\n",
    "rules: [\n",
    "apiVersion: airlock.policy/v1\nmode: enforce\nrules: []\n",
  ])("an empty policy after a parse error (%j)", (text) => {
    writeFileSync(path.join(folder, "p.yaml"), text);
    expect(() => loadPolicyProfiles(folder)).toThrow(/p\.yaml:\d+:\d+: /);
  });

  test("default allow when `decision` is left out", () => {
    const text = policyText(["{ id: write, tool: write_file }"], SCOPES);
    expect(() => loadPolicy({ name: "p.yaml", text })).toThrow(
      'p.yaml:5:5: the key "rules.0.decision" is missing',
    );
  });

  test("an evaluator's crash taken as allow", () => {
    const broken: Policy = {
      ...policy,
      layers: policy.layers.map((layer) => ({
        ...layer,
        rulesByTool: new Map(
          [...layer.rulesByTool].map(([tool, rules]) => [
            tool,
            rules.map((rule) => ({
              ...rule,
              args: () => {
                throw new Error("canary");
              },
            })),
          ]),
        ),
      })),
    };
    const decided = evaluatePolicy(broken, call("write_file", { path: "a", content: "" }));
    expect([decided.decision, decided.winning]).toEqual(["forbid", "evaluator-error"]);
  });

  test("an evaluator's time-out taken as allow", () => {
    const times = [0, 5_001];
    const clock = { now: () => times.shift() ?? 0 };
    const decided = evaluatePolicy(policy, call("write_file", { path: "a", content: "" }), clock);
    expect([decided.decision, decided.winning, decided.matched.length]).toEqual([
      "forbid",
      "evaluator-timeout",
      1,
    ]);
  });

  test("an unknown decision taken as allow", () => {
    const [layer] = policy.layers;
    const odd: Policy = JSON.parse('{"decision":"permit"}');
    const rules = (layer?.rulesByTool.get("write_file") ?? []).map((rule) => ({ ...rule, decision: odd }));
    const hacked = { ...policy, layers: [{ ...layer, rulesByTool: new Map([["write_file", rules]]) }] };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what no loaded policy can hold
    expect(decision(hacked as unknown as Policy, "write_file", { path: "a", content: "" })).toBe("forbid");
  });

  test("a parent that is a symbolic link", async () => {
    const request = call("write_file", { path: "docs/pre-commit", content: "" });
    const view = async (components: readonly string[]) =>
      components.join("/") === "docs"
        ? ({ kind: "link", target: ".git/hooks" } as const)
        : ({ kind: "other" } as const);
    expect(evaluatePolicy(policy, request).decision).toBe("allow");
    expect((await evaluateInView(policy, request, view)).decision).toBe("forbid");
  });

  test.each(["n\u00e9.md", "ne\u0301.md", "NE\u0301.MD"])("NFC and NFD spell one name (%j)", (name) => {
    expect(decision(policy, "write_file", { path: name, content: "" })).toBe("forbid");
  });

  test.each([".git/hooks/pre-commit", "src/../.git/hooks/x", ".GIT/hooks/x", "./.git//hooks/x"])(
    "a sibling tool that writes to the hooks (%s)",
    (name) => {
      const patched = `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
      const both = loadPolicy({
        name: "p.yaml",
        text: policyText([WRITE, "{ id: patch, decision: allow, tool: apply_patch }"], SCOPES),
      });
      expect(decision(both, "write_file", { path: name, content: "" })).toBe("forbid");
      expect(decision(both, "apply_patch", { patch: patched })).toBe("forbid");
    },
  );

  test("a rule stored from an approval: nothing that is decided or approved changes a policy", () => {
    const asks = "{ id: ask, decision: approve, tool: write_file, approve: { ttl: 1m } }";
    writeFileSync(path.join(folder, "p.yaml"), policyText([asks], SCOPES));
    const before = loadPolicyProfiles(folder).get("p")?.enforced;
    if (before === undefined) throw new Error("the profile is missing");
    const request = call("write_file", { path: "a", content: "" });
    const decisions = Array.from({ length: 3 }, () => evaluatePolicy(before, request).decision);
    expect(decisions).toEqual(["approve", "approve", "approve"]);
    expect(loadPolicyProfiles(folder).get("p")?.enforced.digest).toBe(before.digest);
  });

  test("two tools with one name", () => {
    const [first] = BUILTIN_MANIFESTS;
    if (first === undefined) throw new Error("there are no tools");
    expect(() => createCatalog([first, { ...first, effect: "mutating" }])).toThrow(
      `"${first.name}" is registered twice`,
    );
  });

  test.each(["__proto__", "constructor", "hasOwnProperty", "toString"])(
    "%s as the name of a tool",
    (name) => {
      const claims = { reads: [], writes: [], workspace: "none" } as const;
      const request = { tool: name, effect: "read", arguments: {}, claims, place: null } as const;
      expect(evaluatePolicy(policy, request).winning).toBe("no-match");
      const rule = `{ id: x, decision: allow, tool: ${name} }`;
      expect(() => loadPolicy({ name: "p.yaml", text: policyText([rule]) })).toThrow(
        `no tool is named "${name}"`,
      );
    },
  );

  test("a policy file that the agent can write", () => {
    const file = path.join(folder, "p.yaml");
    writeFileSync(file, policyText([WRITE], SCOPES));
    expect(loadPolicyFile(file).digest).toBe(policy.digest);
    chmodSync(file, 0o666);
    expect(() => loadPolicyFile(file)).toThrow(`${file} may be written by anybody; run: chmod o-w ${file}`);
    chmodSync(file, 0o644);
    chmodSync(folder, 0o777);
    expect(() => loadPolicyFile(file)).toThrow(`${folder} may be written by anybody`);
  });
});
