import { describe, expect, test } from "vitest";
import { loadPolicy } from "@airlock/core/policy";
import { policyText } from "../policy-text.ts";
import { decide, outcome } from "./farm-policy.ts";

function outcomes(lines: readonly (readonly string[])[]): readonly string[] {
  return lines.map((argv) => outcome(argv));
}

const NO = "forbid by no-match";
const UNREAD = "forbid by unparseable";

describe("pitfall:", () => {
  test("a cap exceeded, and the rest unchecked", () => {
    const many = (count: number): readonly string[] => [
      "find",
      "src",
      ...Array.from({ length: count }, () => ["-exec", "git", "status", ";"]).flat(),
    ];
    const last = [...many(5), "-exec", "rm", "src/a", ";"];
    const deep = ["nice", "nohup", "setsid", "timeout", "5", "git", "status"];
    expect(outcomes([many(5), many(6), last, deep.slice(1), deep])).toEqual([
      "allow by find",
      UNREAD,
      UNREAD,
      "allow by git-read",
      UNREAD,
    ]);
  });

  test("an abbreviation of a long flag", () => {
    const lines = ["--oneline", "--onelin", "--o", "--format", "--form=x"].map((flag) => [
      "git",
      "log",
      flag,
    ]);
    expect(outcomes(lines)).toEqual(["allow by git-read", NO, NO, NO, NO]);
  });

  test("a glued value", () => {
    const lines = [["-n", "5"], ["-n5"], ["-n=5"], ["-Sx"], ["-pn", "5"]].map((flag) => [
      "git",
      "log",
      ...flag,
    ]);
    expect(outcomes(lines)).toEqual(["allow by git-read", NO, NO, NO, NO]);
  });

  test("--flag=value against --flag value", () => {
    const lines = [["--format=%h"], ["--format", "%h"], ["--format=/etc/x"], ["--format="]];
    expect(outcomes(lines.map((flag) => ["git", "log", ...flag]))).toEqual(["allow by git-read", NO, NO, NO]);
    const values = [
      ["--package", "core"],
      ["--package=core"],
      ["--package"],
      ["--package", "-Z"],
      ["--package", "../x"],
    ];
    expect(outcomes(values.map((flag) => ["cargo", "test", ...flag]))).toEqual([
      "allow by cargo",
      NO,
      NO,
      NO,
      NO,
    ]);
  });

  test("a value taken for a positional, or a positional for a value", () => {
    const lines = [
      ["make", "-s", "test"],
      ["head", "-n", "--", "src/a"],
      ["head", "--", "-n", "5"],
      ["find", "src", "-type", "x"],
    ];
    expect(outcomes(lines)).toEqual(["allow by make", NO, NO, NO]);
  });

  test("a relative argv[0]", () => {
    expect(
      outcomes([
        ["./git", "status"],
        ["../git", "status"],
        ["bin/git", "status"],
        ["env", "./git", "status"],
      ]),
    ).toEqual([NO, NO, NO, NO]);
  });

  test("a PATH prefix", () => {
    const lines = [
      ["env", "PATH=src", "git", "status"],
      ["PATH=src", "git", "status"],
      ["bash", "-c", "PATH=src git status"],
    ];
    expect(outcomes(lines)).toEqual([NO, UNREAD, UNREAD]);
  });

  test("a redirect under an allowed command", () => {
    const lines = ["git log > src/a", "git log >src/a", "cat < .env", "echo x 2>&1", "echo x >| a"];
    expect(outcomes(lines.map((text) => ["bash", "-c", text]))).toEqual(lines.map(() => UNREAD));
  });

  test("tee, dd and cp as writers", () => {
    const lines = [
      ["tee", "src/a"],
      ["tee", "package.json"],
      ["tee", "-a", "src/.git/config"],
      ["dd", "if=docs/a", "of=src/a"],
      ["dd", "of=docs/a"],
      ["cp", "docs/a", "src/a"],
      ["cp", "src/a", "docs/a"],
      ["cp", "-t", "docs", "src/a"],
      ["cp", ".env", "src/a"],
      ["find", "src", "-exec", "tee", "{}", ";"],
    ];
    const [write, read] = ["forbid by paths.write", "forbid by paths.read"];
    expect(outcomes(lines)).toEqual([
      "allow by tee",
      write,
      write,
      "allow by dd",
      write,
      "allow by cp",
      write,
      write,
      read,
      write,
    ]);
  });

  test("an environment prefix", () => {
    const lines = [
      ["env", "CI=1", "npm", "test"],
      ["env", "NODE_OPTIONS=--require=./a", "npm", "test"],
      ["env", "CI=1", "GIT_DIR=src", "git", "status"],
      ["env", "ci=1", "npm", "test"],
      ["env", "CI=", "npm", "test"],
      ["env", "-u", "CI", "npm", "test"],
      ["env", "-u", "GIT_CONFIG_GLOBAL", "git", "status"],
      ["env", "-i", "git", "status"],
    ];
    expect(outcomes(lines)).toEqual(["allow by env", NO, NO, NO, NO, "allow by env", NO, UNREAD]);
  });

  test("configuration that the repository controls", () => {
    const lines = [
      ["npm", "test", "--userconfig=src/.npmrc"],
      ["npm", "run", "postinstall"],
      ["npm", "install"],
      ["git", "-c", "include.path=src/.gitconfig", "status"],
      ["git", "st"],
      ["git", "config", "core.hooksPath", "src"],
      ["make", "-f", "src/Makefile", "test"],
      ["make", "evil"],
      ["make"],
      ["yarn", "--version"],
    ];
    expect(outcomes(lines)).toEqual(lines.map(() => NO));
    const written = [".npmrc", ".gitconfig", ".git/hooks/pre-commit", "Makefile", "package.json"];
    expect(outcomes(written.map((path) => ["tee", path]))).toEqual(
      written.map(() => "forbid by paths.write"),
    );
  });

  test("a wrapper that no rule names, or names more strictly", () => {
    const rules = [
      "{ id: ls, decision: allow, tool: run_command, command: { exe: ls } }",
      "{ id: nice, decision: approve, tool: run_command, command: { exe: nice } }",
      "{ id: no-env, decision: quarantine, tool: run_command, command: { exe: env } }",
    ];
    const scopes = ['paths: { read: { allow: ["**"] } }'];
    const policy = loadPolicy({ name: "p.yaml", text: policyText(rules, scopes) });
    const lines = [["ls"], ["nice", "ls"], ["timeout", "5", "ls"], ["env", "ls"]];
    expect(lines.map((argv) => decide(argv, undefined, policy).decision)).toEqual([
      "allow",
      "approve",
      "forbid",
      "quarantine",
    ]);
  });
});
