import { describe, expect, test } from "vitest";
import { loadPolicy } from "@airlock/core/policy";
import { policyText } from "./policy-text.ts";

const SCOPES = ['paths: { read: { allow: ["**"] }, write: { allow: [src] } }'];

function warnings(rules: readonly string[], scopes = SCOPES): readonly string[] {
  return loadPolicy({ name: "p.yaml", text: policyText(rules, scopes) }).warnings;
}

describe("a rule that can decide nothing is reported with its place", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "below a stricter one for the whole tool",
      ["{ id: a, decision: allow, tool: read_file }", "{ id: b, decision: forbid, tool: read_file }"],
      ['p.yaml:5:5: rule "a" can decide nothing: rule "b" decides forbid on all that it matches'],
    ],
    [
      "below a stricter one for the whole program",
      [
        "{ id: a, decision: allow, tool: run_command, command: { exe: git, sub: [log] } }",
        "{ id: b, decision: forbid, tool: run_command, command: { exe: git, sub: [log, push] } }",
      ],
      ['p.yaml:5:5: rule "a" can decide nothing: rule "b" decides forbid on all that it matches'],
    ],
    [
      "below a stricter one of the same shape",
      [
        "{ id: a, decision: allow, tool: read_file, args: { path: a } }",
        "{ id: b, decision: approve, tool: read_file, args: { path: a } }",
      ],
      ['p.yaml:5:5: rule "a" can decide nothing: rule "b" decides approve on all that it matches'],
    ],
    [
      "no: a stricter one is narrower",
      [
        "{ id: a, decision: allow, tool: run_command, command: { exe: git, sub: [log, diff] } }",
        "{ id: b, decision: forbid, tool: run_command, command: { exe: git, sub: [diff] } }",
        "{ id: c, decision: forbid, tool: run_command, command: { exe: git, flags: { forbid: [--exec] } } }",
        "{ id: d, decision: allow, tool: read_file }",
        "{ id: e, decision: forbid, tool: read_file, args: { path: a } }",
      ],
      [],
    ],
    [
      "no: another one decides the same",
      ["{ id: a, decision: allow, tool: read_file }", "{ id: b, decision: allow, tool: read_file }"],
      [],
    ],
  ])("%s", (_name, rules, told) => {
    expect(warnings(rules)).toEqual(told);
  });

  test("where no path is in scope", () => {
    const write = [
      "{ id: a, decision: allow, tool: write_file }",
      "{ id: b, decision: allow, tool: read_file }",
    ];
    expect(warnings(write, [])).toEqual([
      'p.yaml:4:5: rule "a" can decide nothing: paths.write allows no path',
      'p.yaml:5:5: rule "b" can decide nothing: paths.read allows no path',
    ]);
    expect(
      warnings(write, ['paths: { read: { allow: ["**"], forbid: ["**"] }, write: { allow: ["a"] } }']),
    ).toEqual(['p.yaml:6:5: rule "b" can decide nothing: paths.read allows no path']);
  });
});
