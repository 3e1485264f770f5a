import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
import { DECISIONS, evaluatePolicy, loadPolicy, type Decision, type Policy } from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const ROOT_SCOPES = 'paths: { read: { allow: ["**"], forbid: [secret] }, write: { allow: ["src/**"] } }';
const BASE = policyText(
  [
    "{ id: read, decision: allow, tool: read_file }",
    "{ id: write, decision: allow, tool: write_file }",
    "{ id: list, decision: approve, tool: list_files, approve: { risk: low, ttl: 1h } }",
    "{ id: ls, decision: allow, tool: run_command, command: { exe: ls } }",
  ],
  [ROOT_SCOPES, "limits: { argsBytes: 1000, jsonDepth: 10, perRun: { calls: 10 } }"],
);

function sum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function extending(bases: readonly string[]): string {
  return `extends: [${bases.map((text, at) => `{ path: base${at}.yaml, sha256: ${sum(text)} }`).join(", ")}]`;
}

function load(text: string, bases: readonly string[] = [BASE]): Policy {
  const files = new Map(bases.map((base, at) => [`base${at}.yaml`, base]));
  return loadPolicy(
    { name: "child.yaml", text },
    {
      read: (path) => {
        const found = files.get(path);
        return found === undefined ? null : { name: path, text: found };
      },
    },
  );
}

function child(rules: readonly string[], extra: readonly string[] = []): Policy {
  return load(policyText(rules, [extending([BASE]), ...extra]));
}

function problemsOf(text: string, bases: readonly string[]): readonly string[] {
  try {
    load(text, bases);
    return [];
  } catch (error) {
    if (!(error instanceof AirlockError)) throw error;
    return error.message.replace("a policy is not usable: ", "").split("\n");
  }
}

function decided(policy: Policy, tool: string, args: Parameters<typeof call>[1]): string {
  const { decision, winning } = evaluatePolicy(policy, call(tool, args));
  return `${decision} by ${winning}`;
}

describe("a policy that extends another", () => {
  test("decides as its base does where it says nothing, and needs no rules of its own", () => {
    const policy = load(`apiVersion: airlock.policy/v1\nmode: enforce\n${extending([BASE])}\n`);
    expect([
      decided(policy, "read_file", { path: "a" }),
      decided(policy, "read_file", { path: "secret" }),
      decided(policy, "write_file", { path: "src/a", content: "" }),
      decided(policy, "apply_patch", { patch: "x" }),
    ]).toEqual(["allow by read", "forbid by paths.read", "allow by write", "forbid by paths.write"]);
  });

  test("tightens with a rule, and names the rules of both files", () => {
    const policy = child(["{ id: no-write, decision: forbid, tool: write_file, reason: frozen }"]);
    const { matched } = evaluatePolicy(policy, call("write_file", { path: "src/a", content: "" }));
    expect(matched).toEqual([
      { rule: "no-write", decision: "forbid", reason: "frozen" },
      { rule: "write", decision: "allow", reason: "rule write decides allow" },
    ]);
  });

  test("can't allow what its base does not", () => {
    const policy = child(
      ["{ id: ok, decision: allow, tool: run_command, command: { exe: wc } }"],
      ['paths: { write: { allow: ["**"] } }'],
    );
    expect([
      decided(policy, "run_command", { argv: ["wc", "a"] }),
      decided(policy, "write_file", { path: "docs/a", content: "" }),
    ]).toEqual(["forbid by no-match", "forbid by paths.write"]);
  });

  test("narrows scopes, and without allow keeps those of its base", () => {
    const policy = child([], ['paths: { read: { forbid: ["docs"] }, write: { allow: ["src/a/**"] } }']);
    expect([
      decided(policy, "read_file", { path: "x" }),
      decided(policy, "read_file", { path: "docs/x" }),
      decided(policy, "write_file", { path: "src/a/x", content: "" }),
      decided(policy, "write_file", { path: "src/b", content: "" }),
    ]).toEqual(["allow by read", "forbid by paths.read", "allow by write", "forbid by paths.write"]);
  });

  test.each([
    ["approve", "", "approve"],
    ["return_recorded", "approve", "return_recorded"],
    ["approve", "deny", "deny"],
    ["deny", "return_recorded", "deny"],
  ])("has of repeated effects the stricter word: %s above %j is %s", (above, below, holds) => {
    const says = (word: string) => (word === "" ? [] : [`defaults: { onRepeatEffect: ${word} }`]);
    const base = policyText(["{ id: read, decision: allow, tool: read_file }"], says(below));
    const policy = load(policyText([], [extending([base]), ...says(above)]), [base]);
    expect(policy.defaults.onRepeatEffect).toBe(holds);
  });

  test("has of every limit and default the tighter one", () => {
    const policy = child(
      [],
      [
        "limits: { argsBytes: 2000, jsonDepth: 5, perRun: { calls: 20, mutating: 3 } }",
        "defaults: { onAskNonInteractive: deny, approvalTtl: 10m, unparseable: quarantine, onRepeatEffect: deny }",
      ],
    );
    expect([policy.limits, policy.defaults]).toEqual([
      {
        argsBytes: 1000,
        jsonDepth: 5,
        commands: 20,
        wrapperDepth: 6,
        perRun: { turns: null, calls: 10, mutating: 3 },
      },
      {
        unparseable: "forbid",
        onAskNonInteractive: "deny",
        onRepeatEffect: "deny",
        approvalTtlMs: 600_000,
      },
    ]);
  });

  test("asks of an approval the highest risk, the shortest time and the most people", () => {
    const rule =
      "{ id: two, decision: approve, tool: list_files, approve: { risk: high, ttl: 2h, quorum: 2 } }";
    expect(evaluatePolicy(child([rule]), call("list_files", { path: "." })).approval).toEqual({
      risk: "high",
      ttlMs: 3_600_000,
      quorum: 2,
      onAsk: "park",
    });
  });

  test("follows its base in its digest", () => {
    const other = BASE.replace("secret", "secrets");
    const text = (base: string): string => policyText([], [extending([base])]);
    expect(load(text(BASE)).digest).not.toBe(load(text(other), [other]).digest);
  });
});

describe("an extended file", () => {
  const SELF = policyText([], [extending(["x"])]);

  test.each<[string, string, readonly string[], readonly string[]]>([
    ["that is missing", SELF, [], ["child.yaml:3:13: there is no file base0.yaml"]],
    [
      "that is not the pinned one",
      SELF,
      [BASE],
      [`child.yaml:3:31: base0.yaml is another file than the pinned one: it has sha256 ${sum(BASE)}`],
    ],
    [
      "that is a shadow",
      policyText([], [extending([BASE.replace("enforce", "shadow")])]),
      [BASE.replace("enforce", "shadow")],
      ["child.yaml:3:13: base0.yaml is in mode shadow; only an enforced policy can be extended"],
    ],
    [
      "that is not usable itself",
      policyText([], [extending(["mode: x\n"])]),
      ["mode: x\n"],
      [
        'base0.yaml:1:1: mode: Invalid option: expected one of "enforce"|"shadow"',
        'base0.yaml:1:1: the key "apiVersion" is missing',
      ],
    ],
    [
      "whose rule's id is taken",
      policyText(["{ id: read, decision: forbid, tool: read_file }"], [extending([BASE])]),
      [BASE],
      ['child.yaml:5:7: the id "read" is taken by a rule of a file that this one extends'],
    ],
  ])("%s is refused with its place", (_name, text, bases, problems) => {
    expect(problemsOf(text, bases).toSorted()).toEqual(problems);
  });

  test("that leads back to the file is refused before anything of it is read", () => {
    const text = SELF.replace("base0.yaml", "child.yaml");
    const read = (): { readonly name: string; readonly text: string } => ({ name: "child.yaml", text });
    expect(() => loadPolicy({ name: "child.yaml", text }, { read })).toThrow(
      "child.yaml:3:13: child.yaml leads back to this file: a policy can't extend itself",
    );
  });

  test.each(["/etc/base.yaml", "../base.yaml", "a/../base.yaml", "base.txt"])("can't be named %s", (path) => {
    const text = SELF.replace("base0.yaml", path);
    expect(problemsOf(text, [])).toEqual([
      expect.stringContaining("child.yaml:3:13: extends.0.path: a base "),
    ]);
  });
});

const tool = fc.constantFrom("read_file", "write_file", "list_files", "apply_patch");
const rule = fc.record({ decision: fc.constantFrom(...DECISIONS), tool });
const globs = fc.subarray(["**", "src/**", "src/a", "secret"]);
const scope = fc.record({ allow: globs, forbid: globs }, { requiredKeys: [] });
const document = fc.record(
  {
    rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
    paths: fc.record({ read: scope, write: scope }, { requiredKeys: [] }),
    limits: fc.record({
      argsBytes: fc.integer({ min: 1, max: 60 }),
      jsonDepth: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { requiredKeys: ["rules"] },
);

function documentText(
  made: { readonly rules: readonly object[] },
  prefix: string,
  base: string | null,
): string {
  const { rules, ...rest } = made;
  return JSON.stringify({
    apiVersion: "airlock.policy/v1",
    mode: "enforce",
    ...(base === null ? {} : { extends: [{ path: "base0.yaml", sha256: sum(base) }] }),
    ...rest,
    rules: rules.map((each, at) => ({ id: `${prefix}${at}`, ...each })),
  });
}

const CALLS = [
  call("read_file", { path: "src/a" }),
  call("read_file", { path: "secret" }),
  call("write_file", { path: "src/a", content: "long enough to be over a limit of bytes" }),
  call("write_file", { path: "x", content: "" }),
  call("list_files", { path: "." }),
  call("apply_patch", { patch: "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-a\n+b\n" }),
];

function rank(decision: Decision): number {
  return DECISIONS.indexOf(decision);
}

test("a child never loosens a decision of its base, whatever it says", () => {
  fc.assert(
    fc.property(document, document, (below, above) => {
      const base = documentText(below, "b", null);
      const policies = [load(base, []), load(documentText(above, "c", base), [base])] as const;
      for (const request of CALLS) {
        const [before, after] = policies.map((policy) => rank(evaluatePolicy(policy, request).decision));
        expect(after).toBeGreaterThanOrEqual(before ?? 0);
      }
    }),
    { numRuns: 150 },
  );
});
