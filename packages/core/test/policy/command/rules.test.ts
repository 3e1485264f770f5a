import { describe, expect, test } from "vitest";
import { evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import type { JsonObject } from "@airlock/core/json";
import { policyText } from "../policy-text.ts";

const COMMANDS = [
  "{ id: git-read, decision: allow, tool: run_command, command: { exe: git, sub: [status, diff, log], flags: { allow: [--stat, --oneline, -n, --format=] } } }",
  "{ id: push, decision: approve, tool: run_command, command: { exe: git, sub: [push], flags: { allow: [--tags], forbid: [--force, -f, --mirror] } } }",
  "{ id: node-test, decision: allow, tool: run_command, command: { exe: node, flags: { require: [--test] }, positionals: { max: 2, allow: ['test/**'] } } }",
  "{ id: listing, decision: allow, tool: run_command, command: { exe: ls } }",
  "{ id: removal, decision: forbid, tool: run_command, command: { exe: rm } }",
  "{ id: no-force, decision: forbid, tool: run_command, command: { exe: git, sub: [push], flags: { forbid: [--force, -f] } } }",
];
const SCOPES = ['paths: { read: { allow: ["**"] } }'];
const policy = loadPolicy({ name: "p.yaml", text: policyText(COMMANDS, SCOPES) });

function winner(args: JsonObject): string {
  return evaluatePolicy(policy, {
    tool: "run_command",
    effect: "mutating",
    arguments: args,
    claims: { reads: [], writes: [], workspace: "write" },
    place: null,
  }).winning;
}

describe("a command that its rule names", () => {
  test.each<[string, readonly string[]]>([
    ["git-read", ["git", "status"]],
    ["git-read", ["git", "log", "--oneline", "-n", "5"]],
    ["git-read", ["git", "log", "--format=%h", "HEAD~2"]],
    ["git-read", ["git", "diff", "main..feature", "--", "src/a.js"]],
    ["push", ["git", "push", "origin", "agent/fix"]],
    ["node-test", ["node", "--test"]],
    ["node-test", ["node", "--test", "--", "test/a.js", "test/b.js"]],
    ["listing", ["ls", "src"]],
  ])("is %s: %j", (rule, argv) => {
    expect(winner({ argv })).toBe(rule);
  });
});

describe("no rule permits", () => {
  test.each<[string, readonly string[]]>([
    ["an unknown program", ["curl", "x"]],
    ["an unknown subcommand", ["git", "fetch"]],
    ["no subcommand", ["git"]],
    ["a flag before the subcommand", ["git", "-c", "core.pager=x", "log"]],
    ["another repository", ["git", "--git-dir=/x", "status"]],
    ["a flag that writes a file", ["git", "diff", "--output=/etc/x"]],
    ["an abbreviated flag", ["git", "log", "--oneli"]],
    ["a value glued to a short flag", ["git", "log", "-n5"]],
    ["short flags run together", ["git", "log", "-nS"]],
    ["a value for a flag that takes none", ["git", "log", "--stat=5"]],
    ["a flag without its value", ["git", "log", "--format"]],
    ["a value that leaves the workspace", ["git", "log", "--format=/etc/passwd"]],
    ["a positional that begins with a dash after --", ["git", "diff", "--", "--output=x"]],
    ["a lone dash", ["git", "diff", "-"]],
    ["an absolute path", ["ls", "/etc"]],
    ["a home path", ["ls", "~/.ssh"]],
    ["a climbing path", ["ls", "src/../../x"]],
    ["a path hidden behind an equals sign", ["ls", "of=/etc/x"]],
    ["a URL", ["ls", "https://example.com/x"]],
    ["an empty word", ["ls", ""]],
    ["a look-alike in the workspace", ["./git", "status"]],
    ["a look-alike elsewhere", ["/tmp/git", "status"]],
    ["another case", ["GIT", "status"]],
    ["a name with a blank", ["git ", "status"]],
    ["a missing required flag", ["node", "test/a.js"]],
    ["a required flag after the program's script", ["node", "test/a.js", "--test"]],
    ["too many positionals", ["node", "--test", "test/a", "test/b", "test/c"]],
    ["a positional outside its globs", ["node", "--test", "src/a.js"]],
    ["a wrapper around an allowed command", ["env", "git", "status"]],
    ["a shell around an allowed command", ["bash", "-lc", "git status"]],
  ])("%s", (_name, argv) => {
    expect(winner({ argv })).toBe("no-match");
  });

  test.each<[string, JsonObject]>([
    ["a folder that climbs", { argv: ["git", "status"], cwd: "../x" }],
    ["an absolute folder", { argv: ["git", "status"], cwd: "/tmp" }],
    ["a folder that is no text", { argv: ["git", "status"], cwd: 1 }],
  ])("%s to run in", (_name, args) => {
    expect(winner(args)).toBe("no-match");
  });
});

describe("nobody can read", () => {
  test.each<[string, JsonObject]>([
    ["a line break in a word", { argv: ["git", "log", "a\nb"] }],
    ["an invisible character", { argv: ["git", "log", "a\u200bb"] }],
    ["a variation selector", { argv: ["git", "log", "a\ufe0fb"] }],
    ["a blank that is none", { argv: ["git", "log", "a\u00a0b"] }],
    ["a bidirectional override", { argv: ["git", "log", "a\u202eb"] }],
    ["what was no UTF-8", { argv: ["git", "log", "a\ufffdb"] }],
    ["a decomposed character", { argv: ["git", "log", "e\u0301"] }],
    ["an assignment as a program", { argv: ["GIT_SSH_COMMAND=x", "git", "status"] }],
    ["a flag as a program", { argv: ["-c", "git"] }],
    ["an empty program", { argv: ["", "git"] }],
    ["too many words", { argv: Array<string>(257).fill("git") }],
    ["too long a command", { argv: ["git", "x".repeat(65_536)] }],
    ["no argv", {}],
    ["an argv that is a text", { argv: "ls" }],
    ["a word that is no text", { argv: ["ls", 1] }],
  ])("%s", (_name, args) => {
    expect(winner(args)).toBe("unparseable");
  });
});

describe("a rule that forbids matches as broadly as it can be meant", () => {
  test.each<[string, readonly string[]]>([
    ["removal", ["rm", "-rf", "x"]],
    ["removal", ["/bin/rm", "x"]],
    ["removal", ["./rm"]],
    ["no-force", ["git", "push", "--force", "origin"]],
    ["no-force", ["git", "push", "--force-with-lease"]],
    ["no-force", ["git", "push", "--forc"]],
    ["no-force", ["git", "push", "-uf"]],
    ["no-force", ["git", "-C", "x", "push", "-f"]],
  ])("%s: %j", (rule, argv) => {
    expect(winner({ argv })).toBe(rule);
  });
});
