import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
import { loadPolicy } from "@airlock/core/policy";
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

  test.each<[string, string, readonly string[]]>([
    ["is empty", "", ["p.yaml:1:1: the file is empty; an empty policy is never used"]],
    ["holds only comments", "# later\n", ["p.yaml:1:1: the file is empty; an empty policy is never used"]],
    ["is a list", "- a\n", ["p.yaml:1:1: Invalid input: expected object, received array"]],
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
      "asks for the shadow mode",
      policyText([READ]).replace("enforce", "shadow"),
      ['p.yaml:2:1: mode: Invalid input: expected "enforce"'],
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
        'p.yaml:4:31: no tool is named "__proto__"; there are read_file, list_files, write_file, apply_patch, run_command',
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
      "permits a flag that runs its value",
      policyText([
        '{ id: x, decision: allow, tool: run_command, command: { exe: git, sub: [log], flags: { allow: ["--output="] } } }',
      ]),
      ["p.yaml:4:83: git --output= runs or writes what it names; it can't be permitted"],
    ],
    [
      "narrows a rule that stops calls",
      policyText([
        "{ id: x, decision: forbid, tool: run_command, command: { exe: git, positionals: { max: 0 } } }",
      ]),
      ["p.yaml:4:51: a rule that decides forbid may name only exe, sub and flags.forbid"],
    ],
    [
      "names a program by its path",
      policyText(["{ id: x, decision: allow, tool: run_command, command: { exe: /bin/ls } }"]),
      [
        "p.yaml:4:61: rules.0.command.exe: a program is named without a path, in letters, digits, '.', '_', '+' and '-'",
      ],
    ],
  ])("that %s is refused with every place", (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each(["env", "sh", "bash", "xargs", "sudo", "timeout", "find", "sed", "awk", "tar", "make", "npx"])(
    "can't permit the wrapper %s, but may forbid it by name",
    (exe) => {
      const rule = (decision: string): string =>
        policyText([`{ id: x, decision: ${decision}, tool: run_command, command: { exe: ${exe} } }`]);
      const refused = (decision: string): readonly string[] => problemsOf(rule(decision));
      const message = `${exe} runs what its arguments say; it can't be permitted`;
      expect(refused("allow").map((line) => line.replace(/^p\.yaml:\d+:\d+: /, ""))).toEqual([message]);
      expect(refused("approve")).toHaveLength(1);
      expect(refused("forbid")).toEqual([]);
    },
  );

  test.each(["npm run", "npm exec", "pnpm dlx", "yarn exec", "git config", "git submodule"])(
    "can't permit %s, which runs what it names",
    (words) => {
      const [exe, sub] = words.split(" ");
      const command = `command: { exe: ${exe}, sub: [${sub}] }`;
      expect(problemsOf(policyText([`{ id: x, decision: allow, tool: run_command, ${command} }`]))).toEqual([
        expect.stringContaining(`${words} runs what its arguments say`),
      ]);
    },
  );

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
      "that the tool's schema refuses",
      policyText(["{ id: read, decision: allow, tool: read_file, notMatch: [{ file: a }] }"]),
      [
        'p.yaml:4:62: the example of rule "read" is no valid call: the schema refuses at #/required (required: path)',
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
