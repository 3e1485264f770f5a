import { describe, expect, test } from "vitest";
import { loadPolicy } from "@airlock/core/policy";
import { policyText } from "../policy-text.ts";

function problemOf(command: string, decision = "allow"): string {
  const rule = `{ id: a, decision: ${decision}, tool: run_command, command: ${command} }`;
  try {
    loadPolicy({ name: "p.yaml", text: policyText([rule]) });
    return "none";
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}

describe("a rule can permit", () => {
  test.each([
    "{ exe: git, sub: [log], flags: { allow: [--oneline, --format=], values: { -n: ['*'] } } }",
    "{ exe: env, environment: [CI, NODE_ENV, FORCE_COLOR] }",
    "{ exe: bash, flags: { allow: [-lc] } }",
    "{ exe: npm, sub: [run], positionals: { max: 1, allow: [lint, 'test:unit'] } }",
    "{ exe: make, positionals: { max: 0 } }",
    "{ exe: node, flags: { require: [--test], values: { --test-reporter=: [tap] } } }",
    "{ exe: python3, flags: { values: { -m: [pytest] } } }",
    "{ exe: tar, flags: { allow: [-tvf, --list] } }",
    "{ exe: node_modules/.bin/eslint }",
  ])("%s", (command) => {
    expect(problemOf(command)).toBe("none");
  });
});

describe("no rule can permit", () => {
  test.each<[string, string, string]>([
    ["what raises rights", "{ exe: sudo }", "sudo runs what nobody can judge beforehand"],
    ["an editor", "{ exe: vim }", "vim runs what nobody can judge beforehand"],
    ["a pager", "{ exe: less }", "less runs what nobody can judge beforehand"],
    ["a shell that is not unwrapped", "{ exe: zsh }", "zsh runs what nobody can judge beforehand"],
    ["git as a whole", "{ exe: git }", "git must be narrowed: add the key sub"],
    ["an alias of git", "{ exe: git, sub: [lg] }", "git lg can't be permitted"],
    ["git's payloads", "{ exe: git, sub: [bisect] }", "git bisect can't be permitted"],
    ["yarn's looks", "{ exe: yarn, sub: [list] }", "yarn list can't be permitted"],
    [
      "a flag that runs",
      "{ exe: rg, flags: { allow: [--pre] } }",
      "rg --pre runs, loads or writes what it names",
    ],
    ["a flag that runs, with its value", "{ exe: rg, flags: { allow: [--pre=] } }", "rg --pre= runs, loads"],
    ["a flag that runs, with values", "{ exe: sort, flags: { values: { -o: [a] } } }", "sort -o runs, loads"],
    ["a required flag that runs", "{ exe: python3, flags: { require: [-c] } }", "python3 -c runs, loads"],
    [
      "go's flags in their other form",
      "{ exe: go, sub: [test], flags: { allow: [--exec=] } }",
      "go --exec= runs",
    ],
    [
      "any module",
      "{ exe: python3, flags: { values: { -m: ['*'] } } }",
      "its values must be words without wildcards",
    ],
    [
      "any reporter",
      "{ exe: node, flags: { require: [--test], allow: [--test-reporter=] } }",
      "list its values under flags.values",
    ],
    ["extraction", "{ exe: tar, flags: { allow: [-xf] } }", "tar -xf can't be permitted: only forms of"],
    ["any script", "{ exe: npm, sub: [run] }", "list it under positionals.allow, word by word"],
    ["scripts by a pattern", "{ exe: npm, sub: [test, run], positionals: { allow: ['*'] } }", "word by word"],
    ["any target", "{ exe: make }", "list it under positionals.allow, word by word"],
    ["any file of a language", "{ exe: node }", "add positionals.allow or flags.require"],
    [
      "a dangerous variable",
      "{ exe: env, environment: [CI, LD_PRELOAD] }",
      "LD_PRELOAD changes what programs run or load",
    ],
    ["one in lower case", "{ exe: env, environment: [npm_config_prefix] }", "npm_config_prefix changes"],
    ["variables without env", "{ exe: ls, environment: [CI] }", "only a rule for env permits variables"],
    ["a program by its path", "{ exe: bin/ls }", "a program is named without a path"],
    ["a variable that is none", "{ exe: env, environment: [A-B] }", "a variable is named in letters"],
    ["a flag without values", "{ exe: ls, flags: { values: { -n: [] } } }", "p.yaml:4:"],
  ])("%s: %s", (_name, command, message) => {
    expect(problemOf(command)).toContain(message);
  });

  test.each([
    "GIT_DIR",
    "PATH",
    "BASH_ENV",
    "NODE_OPTIONS",
    "LD_LIBRARY_PATH",
    "Path",
    "http_proxy",
    "PYTHONPATH",
    "HOME",
    "IFS",
  ])("the variable %s", (name) => {
    expect(problemOf(`{ exe: env, environment: [${name}] }`)).toContain(
      `${name} changes what programs run or load`,
    );
  });
});

test.each([
  "flags: { allow: [-l] }",
  "flags: { values: { -n: [a] } }",
  "positionals: { max: 1 }",
  "environment: [CI]",
])("a rule that stops calls can't be narrowed by %s", (key) => {
  expect(problemOf(`{ exe: env, ${key} }`, "forbid")).toContain("may name only exe, sub and flags.forbid");
});
