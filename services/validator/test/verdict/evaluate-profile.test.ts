import { describe, expect, test } from "vitest";
import { loadPolicy, type Policy } from "@airlock/core/policy";
import { evaluateProfile } from "../../src/verdict/evaluate-profile.ts";

function policy(decision: string, mode: "enforce" | "shadow"): Policy {
  const text = [
    "apiVersion: airlock.policy/v1",
    `mode: ${mode}`,
    'paths: { read: { allow: ["**"] } }',
    `rules: [{ id: ${mode}-rule, decision: ${decision}, tool: read_file }]`,
  ].join("\n");
  return loadPolicy({ name: "p.yaml", text });
}

const request = {
  tool: "read_file",
  effect: "read",
  arguments: { path: "a" },
  claims: { reads: ["a"], writes: [], workspace: "none" },
  place: null,
} as const;

describe("a profile", () => {
  test.each([
    ["forbid", "allow"],
    ["allow", "forbid"],
    ["approve", "flag"],
  ])(
    "with a shadow acts by the enforced policy alone (%s beside %s), and tells the difference",
    (enforced, shadow) => {
      const profile = { enforced: policy(enforced, "enforce"), shadow: policy(shadow, "shadow") };
      const found = evaluateProfile(profile, "p", request);
      expect([
        found.judged.decision,
        found.judged.policyDigest,
        found.judged.matched.length,
        found.shadow,
      ]).toEqual([enforced, profile.enforced.digest, 1, { rule: "shadow-rule", enforced, shadow }]);
    },
  );

  test("tells no difference where both decide the same, or there is no shadow", () => {
    const enforced = policy("allow", "enforce");
    expect([
      evaluateProfile({ enforced, shadow: policy("allow", "shadow") }, "p", request).shadow,
      evaluateProfile({ enforced, shadow: null }, "p", request).shadow,
    ]).toEqual([null, null]);
  });

  test("that is gone forbids", () => {
    expect(evaluateProfile(undefined, "p", request).judged).toMatchObject({
      decision: "forbid",
      winning: "policy-gone",
    });
  });
});
