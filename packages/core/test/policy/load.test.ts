import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
import { BUILT_IN_FINDINGS, loadPolicy } from "@airlock/core/policy";
import { policyText } from "./policy-text.ts";

const READ = "{ id: read, decision: allow, tool: read_file }";

/** The lines of the error, without the table's sentence; `[]` when the policy loads. */
function problemsOf(text: string): readonly string[] {
  try {
    loadPolicy({ name: "p.yaml", text });
    return [];
  } catch (error) {
    if (!(error instanceof AirlockError) || error.code !== "POLICY_INVALID") throw error;
    return error.message.replace("a policy is not usable: ", "").split("\n");
  }
}

function digest(text: string): string {
  return loadPolicy({ name: "p.yaml", text }).digest;
}

describe("a policy file", () => {
  test("loads, and its digest follows the document, not its layout", () => {
    const plain = digest(policyText([READ]));
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(`# a comment\n${policyText(["{ tool: read_file, id: read, decision: allow }"])}`)).toBe(
      plain,
    );
    expect(digest(policyText([READ.replace("allow", "flag")]))).not.toBe(plain);
  });

  test.each(["allow", "flag"])("never lets a hosted tool run by %s, without people", (decision) => {
    const rule = `{ id: h, decision: ${decision}, tool: "hosted:shop/refund" }`;
    const [problem, ...others] = problemsOf(policyText([READ, rule]));
    expect(problem).toMatch(/hosted:shop\/refund is run by its provider and never without a person's word/);
    expect(others).toEqual([]);
  });

  test.each([
    ["approve", "hosted:shop/refund", true],
    ["forbid", "hosted:shop/refund", true],
    ["approve", "hosted:shop/", false],
    ["approve", "hosted:a/b/c", false],
    ["approve", "hosted:*/refund", false],
  ])("with a rule that decides %s on %s: loads %s", (decision, tool, loads) => {
    const rule = `{ id: h, decision: ${decision}, tool: "${tool}", args: { order: "[0-9]+" }, match: [{ order: "7" }], notMatch: [{ order: x }] }`;
    expect(problemsOf(policyText([READ, rule])).length === 0).toBe(loads);
  });

  test.each<[string, string, readonly string[]]>([
    ["is empty", "", ["p.yaml:1:1: the file is empty; an empty policy is never used"]],
    ["holds only comments", "# later\n", ["p.yaml:1:1: the file is empty; an empty policy is never used"]],
    [
      "is a list",
      "# rules\n- a\n",
      ["p.yaml:2:1: the file is no mapping; a policy is written as keys with values"],
    ],
    ["is null", "null\n", ["p.yaml:1:1: the file is no mapping; a policy is written as keys with values"]],
    [
      "holds two documents",
      `${policyText([READ])}---\nmode: enforce\n`,
      [expect.stringMatching(/^p\.yaml:\d+:1: a second document begins here; a file holds one: /)],
    ],
    ["has a doubled key", "mode: enforce\nmode: enforce\n", ["p.yaml:2:1: Map keys must be unique"]],
    ["has a tag", "mode: !x enforce\n", ["p.yaml:1:7: Unresolved tag: !x"]],
    [
      "has an alias",
      "a: &a enforce\nmode: *a\n",
      ["p.yaml:1:1: aliases (*name) are not allowed; write the value out"],
    ],
    [
      "has no rules",
      "apiVersion: airlock.policy/v1\nmode: enforce\n",
      ['p.yaml:1:1: the key "rules" is missing'],
    ],
    [
      "has unknown keys at several levels",
      policyText(
        ["{ id: read, decision: allow, tool: read_file, priority: 1 }"],
        ["paths: { exec: {} }", "__proto__: {}"],
      ),
      [
        'p.yaml:3:10: unknown key "exec"',
        'p.yaml:4:1: unknown key "__proto__"',
        'p.yaml:6:51: unknown key "priority"',
      ],
    ],
    [
      "leaves out a decision",
      policyText(["{ id: read, tool: read_file }"]),
      ['p.yaml:4:5: the key "rules.0.decision" is missing'],
    ],
    [
      "allows by default",
      policyText([READ], ["defaults: { noMatch: allow }"]),
      ['p.yaml:3:13: defaults.noMatch: Invalid input: expected "forbid"'],
    ],
    [
      "lets unread commands run",
      policyText([READ], ["defaults: { unparseable: allow }"]),
      ['p.yaml:3:13: defaults.unparseable: Invalid option: expected one of "quarantine"|"forbid"'],
    ],
    [
      "waits for an approval without an end",
      policyText([READ], ["defaults: { approvalTtl: forever }"]),
      ["p.yaml:3:13: defaults.approvalTtl: a duration is written 90s, 30m, 12h or 7d, seven days at most"],
    ],
    [
      "asks for an approval where none is needed",
      policyText(["{ id: read, decision: allow, tool: read_file, approve: { quorum: 2 } }"]),
      ["p.yaml:4:51: a rule that decides allow asks for no approval; drop this key"],
    ],
    [
      "has a pattern that looks back",
      policyText(["{ id: read, decision: allow, tool: read_file, args: { path: '(a)\\1' } }"]),
      [expect.stringContaining("p.yaml:4:59: rules.0.args.path: a pattern is a regular expression in RE2's")],
    ],
    [
      "has a pattern for an argument that the tool lacks",
      policyText(["{ id: read, decision: allow, tool: read_file, args: { content: x } }"]),
      ['p.yaml:4:59: read_file has no argument "content", only path, startLine, endLine'],
    ],
    [
      "has a pattern for a prototype",
      policyText(["{ id: read, decision: allow, tool: read_file, args: { __proto__: x } }"]),
      ['p.yaml:4:59: unknown key "__proto__"'],
    ],
    [
      "names a repository by a climbing path",
      policyText([READ], ["repos: [{ id: ../api }]"]),
      ["p.yaml:3:11: repos.0.id: a repository is named like acme/api"],
    ],
    ["has one id twice", policyText([READ, READ]), ['p.yaml:5:7: the id "read" is taken by an earlier rule']],
    [
      "takes an id of Airlock's own",
      policyText(["{ id: no-match, decision: allow, tool: read_file }"]),
      ["p.yaml:4:7: rules.0.id: this id is taken by Airlock itself"],
    ],
    [
      "names an unknown tool",
      policyText(["{ id: x, decision: allow, tool: __proto__ }"]),
      [
        'p.yaml:4:31: no tool is named "__proto__"; there are read_file, list_files, search_files, write_file, edit_file, delete_file, move_file, apply_patch, run_command, git_status, git_diff, git_log, git_commit, git_push, and hosted:<server label>/<name> for those of a provider',
      ],
    ],
    [
      "narrows a tool without commands by one",
      policyText(["{ id: x, decision: allow, tool: read_file, command: { exe: ls } }"]),
      ["p.yaml:4:48: read_file runs no command; drop this key"],
    ],
    [
      "permits every command",
      policyText(["{ id: x, decision: flag, tool: run_command }"]),
      ["p.yaml:4:5: a rule that decides flag must say which command: add the key command"],
    ],
    [
      "permits a git without a subcommand",
      policyText(["{ id: x, decision: allow, tool: run_command, command: { exe: git } }"]),
      ["p.yaml:4:50: git must be narrowed: add the key sub"],
    ],
    [
      "narrows a rule that stops calls",
      policyText([
        "{ id: x, decision: forbid, tool: run_command, command: { exe: git, positionals: { max: 0 } } }",
      ]),
      ["p.yaml:4:51: a rule that stops calls may name only exe, sub and flags.forbid"],
    ],
    [
      "names a program by its path",
      policyText(["{ id: x, decision: allow, tool: run_command, command: { exe: /bin/ls } }"]),
      [expect.stringContaining("p.yaml:4:61: rules.0.command.exe: a program is named without a path")],
    ],
  ])("that %s is refused with every place", (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each(["!src/**", "/etc/**", "../**", "src/./x", "src//x", "src/[ab]", "@(a|b)", "a\\\\*", ""])(
    "can't have the glob %j",
    (glob) => {
      const text = policyText([READ], [`paths: { write: { allow: ["${glob}"] } }`]);
      expect(problemsOf(text)).toEqual([
        expect.stringMatching(/^p\.yaml:3:27: paths\.write\.allow\.0: a glob /),
      ]);
    },
  );
});

describe("an example", () => {
  const GIT =
    "id: git, decision: allow, tool: run_command, command: { exe: git, sub: [log], flags: { allow: [-n] } }";
  const SCOPE = ['paths: { read: { allow: ["src/**"] } }'];

  test.each<[string, string, readonly string[]]>([
    [
      "holds",
      policyText([`{ ${GIT}, match: ["git log -n 5", [git, log]], notMatch: ["git push", "git log; ls"] }`]),
      [],
    ],
    [
      "that should match and does not",
      policyText([`{ ${GIT}, match: ["git log", "git log --stat"] }`]),
      ['p.yaml:4:130: rule "git" does not match an example under match'],
    ],
    [
      "that should not match and does",
      policyText([`{ ${GIT}, notMatch: ["git log"] }`]),
      ['p.yaml:4:122: rule "git" matches an example under notMatch'],
    ],
    [
      "that is a script",
      policyText([`{ ${GIT}, match: ["git log | cat"] }`]),
      ['p.yaml:4:119: the example of rule "git" is not one simple command, argv list or argument object'],
    ],
    [
      "that is a text, of a tool that takes no command",
      policyText(["{ id: read, decision: allow, tool: read_file, match: [a], notMatch: [b, [c]] }"]),
      [59, 74, 77].map(
        (column) =>
          `p.yaml:4:${column}: the example of rule "read" is no argument object; read_file takes no command: write key: value, as in a call`,
      ),
    ],
    [
      "that the tool's schema refuses",
      policyText(["{ id: read, decision: allow, tool: read_file, notMatch: [{ file: a }] }"]),
      [
        `p.yaml:4:62: the example of rule "read" is no valid call: the schema refuses at the top level (required: must have required property 'path')`,
      ],
    ],
    [
      "outside the path scopes does not match",
      policyText(["{ id: read, decision: allow, tool: read_file, match: [{ path: a }] }"], SCOPE),
      ['p.yaml:5:59: rule "read" does not match an example under match'],
    ],
    [
      "inside the path scopes matches",
      policyText(["{ id: read, decision: allow, tool: read_file, match: [{ path: src/a }] }"], SCOPE),
      [],
    ],
  ])("%s", (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

test.each(BUILT_IN_FINDINGS)("no rule takes the id %s, which Airlock's own findings have", (id) => {
  expect(problemsOf(policyText([`{ id: ${id}, decision: allow, tool: read_file }`]))).toContain(
    "p.yaml:4:7: rules.0.id: this id is taken by Airlock itself",
  );
});
