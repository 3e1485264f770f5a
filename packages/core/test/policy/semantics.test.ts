import { describe, expect, test } from "vitest";
import { DECISIONS, evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const SCOPES = 'paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }';

function load(rules: readonly string[], extra: readonly string[] = []) {
  return loadPolicy({ name: "p.yaml", text: policyText(rules, [SCOPES, ...extra]) });
}

describe("what a policy means", () => {
  test("1: the strictest of all matches wins, whatever the order, and every match is told", () => {
    const rules = DECISIONS.map((decision, at) => `{ id: r${at}, decision: ${decision}, tool: read_file }`);
    const decided = [rules, rules.toReversed()].map((each) =>
      evaluatePolicy(load(each), call("read_file", { path: "a" })),
    );
    for (const { decision, winning, reason, matched } of decided) {
      expect({ decision, winning, reason, matched: matched.map(({ rule }) => rule) }).toEqual({
        decision: "forbid",
        winning: "r4",
        reason: "rule r4 decides forbid",
        matched: ["r0", "r1", "r2", "r3", "r4"],
      });
    }
  });

  test("1: what no rule matches is forbidden", () => {
    const policy = load(["{ id: read, decision: allow, tool: read_file }"]);
    expect(evaluatePolicy(policy, call("list_files", { path: "." }))).toEqual({
      decision: "forbid",
      winning: "no-match",
      reason: "no rule names this call",
      matched: [{ rule: "no-match", decision: "forbid", reason: "no rule names this call" }],
      policyDigest: policy.digest,
      approval: null,
    });
  });

  test("2: a command is as strict as its strictest part, and one part that no rule names forbids the whole", () => {
    const policy = load([
      "{ id: timeout, decision: allow, tool: run_command, command: { exe: timeout } }",
      "{ id: wc, decision: allow, tool: run_command, command: { exe: wc } }",
      "{ id: du, decision: approve, tool: run_command, command: { exe: du } }",
    ]);
    const decided = (argv: readonly string[]): string => {
      const { decision, winning } = evaluatePolicy(policy, call("run_command", { argv }));
      return `${decision} by ${winning}`;
    };
    expect([
      decided(["wc", "a"]),
      decided(["timeout", "5", "wc", "a"]),
      decided(["timeout", "5", "du", "a"]),
      decided(["timeout", "5", "stat", "a"]),
    ]).toEqual(["allow by wc", "allow by timeout", "approve by du", "forbid by no-match"]);
  });

  test("2: what can't be read is forbidden, or set aside where the policy says so; never more", () => {
    const rules = ["{ id: wc, decision: allow, tool: run_command, command: { exe: wc } }"];
    const unread = call("run_command", { argv: ["bash", "-c", "$x"] });
    const strict = evaluatePolicy(load(rules), unread);
    const aside = evaluatePolicy(load(rules, ["defaults: { unparseable: quarantine }"]), unread);
    expect([strict.decision, strict.winning, aside.decision]).toEqual([
      "forbid",
      "unparseable",
      "quarantine",
    ]);
  });

  test("7: nesting beyond the limit is forbidden", () => {
    const policy = load(
      ["{ id: ls, decision: allow, tool: run_command, command: { exe: ls } }"],
      ["limits: { jsonDepth: 1 }"],
    );
    expect(evaluatePolicy(policy, call("run_command", { argv: ["ls"] })).winning).toBe("limits.jsonDepth");
  });

  test("8: an approval asks for what its rules ask, each time anew", () => {
    const policy = load(
      [
        "{ id: a, decision: approve, tool: write_file, approve: { risk: high, quorum: 1 } }",
        "{ id: b, decision: approve, tool: write_file, approve: { ttl: 15m, quorum: 2 } }",
      ],
      ["defaults: { approvalTtl: 10m, onAskNonInteractive: deny }"],
    );
    const request = call("write_file", { path: "a", content: "" });
    const asked = { risk: "high", ttlMs: 600_000, quorum: 2, onAsk: "deny" };
    expect([1, 2].map(() => evaluatePolicy(policy, request).approval)).toEqual([asked, asked]);
  });

  test("8: nothing is asked where something stricter decides", () => {
    const policy = load([
      "{ id: a, decision: approve, tool: write_file }",
      "{ id: b, decision: quarantine, tool: write_file, args: { path: x } }",
    ]);
    const { decision, approval } = evaluatePolicy(policy, call("write_file", { path: "x", content: "" }));
    expect([decision, approval]).toEqual(["quarantine", null]);
  });

  test("a private rule is marked as such", () => {
    const policy = load([
      "{ id: a, decision: forbid, tool: read_file, private: true, reason: known attack }",
    ]);
    expect(evaluatePolicy(policy, call("read_file", { path: "x" })).matched).toEqual([
      { rule: "a", decision: "forbid", reason: "known attack", private: true },
    ]);
  });
});
