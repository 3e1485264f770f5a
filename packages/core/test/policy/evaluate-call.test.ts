import { describe, expect, test } from "vitest";
import {
  evaluateCall,
  evaluatePolicy,
  loadPolicy,
  type Policy,
  type PolicyRequest,
} from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const OWN = { rule: "own-check", decision: "allow", reason: "a check of the validator's own" };

function load(...scopes: readonly string[]): Policy {
  return loadPolicy({
    name: "p.yaml",
    text: policyText(["{ id: shut, decision: forbid, tool: run_command }"], scopes),
  });
}

function check(path: string, change: Partial<PolicyRequest> = {}): PolicyRequest {
  const claims = { reads: [path], writes: [], workspace: "none" } as const;
  const { place, effect } = call("read_file", { path });
  return { tool: "airlock.check_files", effect, arguments: { files: [path] }, claims, place, ...change };
}

const scoped = load('paths: { read: { allow: ["src/**"] }, write: { allow: ["src/**"] } }');

describe("a check that the validator makes itself", () => {
  test("is allowed though no rule names it", () => {
    expect(evaluateCall(scoped, check("src/a.js"))).toEqual({
      decision: "allow",
      winning: OWN.rule,
      reason: OWN.reason,
      matched: [OWN],
      policyDigest: scoped.digest,
      approval: null,
    });
  });

  test.each<[string, PolicyRequest, Policy, string, string]>([
    [
      "a path outside the scopes",
      check("docs/a.md"),
      scoped,
      "paths.read",
      "a path is not in paths.read.allow",
    ],
    [
      "paths that can't be told",
      check("src/a.js", { claims: { reads: [], writes: [], workspace: "write" } }),
      scoped,
      "paths.write",
      "the paths that the call touches can't be told from its arguments",
    ],
    [
      "a repository that policy doesn't name",
      check("src/a.js", { place: { source: "/srv/other", ref: "main" } }),
      load('paths: { read: { allow: ["**"] } }', "repos: [{ id: srv/app }]"),
      "repos",
      "the run's repository is none that policy names",
    ],
  ])("is forbidden for %s", (_, request, policy, rule, reason) => {
    expect(evaluateCall(policy, request)).toEqual({
      decision: "forbid",
      winning: rule,
      reason,
      matched: [OWN, { rule, decision: "forbid", reason }],
      policyDigest: policy.digest,
      approval: null,
    });
  });

  test("is forbidden where its paths can't be read", () => {
    const claims = {
      workspace: "none",
      writes: [],
      get reads(): never {
        throw new Error("src/a.js");
      },
    } as const;
    expect(evaluateCall(scoped, check("src/a.js", { claims }))).toMatchObject({
      decision: "forbid",
      winning: "evaluator-error",
    });
  });
});

test("any other call is decided by the rules", () => {
  for (const request of [
    call("read_file", { path: "src/a.js" }),
    check("src/a.js", { tool: "airlock.other" }),
  ]) {
    expect(evaluateCall(scoped, request)).toEqual(evaluatePolicy(scoped, request));
    expect(evaluateCall(scoped, request)).toMatchObject({ decision: "forbid", winning: "no-match" });
  }
});
