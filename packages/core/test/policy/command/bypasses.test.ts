import { describe, expect, test } from "vitest";
import { splitSimpleCommand } from "@airlock/core/policy";
import { outcome } from "./farm-policy.ts";

/** A text as an agent would have it run; what is not simple can only reach a shell. */
function run(text: string): string {
  return outcome(splitSimpleCommand(text) ?? ["bash", "-c", text]);
}

/** The published bypasses of other agents' allow-lists, each as it would look here. */
describe("a bypass of its kind does not pass", () => {
  test.each<[string, string, string]>([
    ["CVE-2025-54795: injection through an allowed echo", 'echo "x"; id; echo "x"', "forbid by unparseable"],
    ["CVE-2025-54795: injection through an allowed echo", 'echo "$(id)"', "forbid by unparseable"],
    ["CVE-2025-58764: arguments of rg", "rg --pre sh x src", "forbid by no-match"],
    ["CVE-2025-58764: arguments of rg", "rg --hostname-bin=src/a x", "forbid by no-match"],
    ["CVE-2025-64755: sed executes", "sed 's/a/id/e' src/a.js", "forbid by unparseable"],
    ["CVE-2025-64755: sed writes", "sed -n '1w /etc/x' src/a.js", "forbid by unparseable"],
    ["CVE-2025-66032: $IFS hides a blank", "cat$IFS/etc/passwd", "forbid by unparseable"],
    ["CVE-2025-66032: short flags defeat a read-only check", "sort -osrc/a src/b", "forbid by no-match"],
    ["CVE-2025-66032: short flags defeat a read-only check", "git grep -Osh x", "forbid by no-match"],
    ["CVE-2026-22708: a builtin poisons the environment", "export PAGER=sh", "forbid by unparseable"],
    ["CVE-2026-22708: a builtin poisons the environment", "typeset -x PAGER=sh", "forbid by unparseable"],
    ["CVE-2026-22708: a poisoned environment", "env PAGER=sh git log", "forbid by no-match"],
    ["CVE-2025-65099: yarn runs repository code", "yarn --version", "forbid by no-match"],
    ["CVE-2025-65099: yarn runs repository code", "yarn run evil", "forbid by no-match"],
    ["CVE-2025-58370: parameter expansion", "echo ${x:-$(id)}", "forbid by unparseable"],
    ["CVE-2026-30312: a newline as a separator", "git status\nid", "forbid by unparseable"],
    ["CVE-2026-44115: an unquoted heredoc expands", "cat <<E\n$(id)\nE", "forbid by unparseable"],
    ["CVE-2026-109560: chaining", "git status && id", "forbid by unparseable"],
    ["CVE-2026-109560: chaining", "git status | sh", "forbid by unparseable"],
    [
      "GHSA-j425-whc4-4jgc: environment override",
      "GIT_SSH_COMMAND=sh git push origin a",
      "forbid by unparseable",
    ],
    [
      "GHSA-j425-whc4-4jgc: environment override",
      "env GIT_SSH_COMMAND=sh git push origin a",
      "forbid by no-match",
    ],
    ["GHSA-7f33-9mwg-h5hj: git -c", "git -c core.sshCommand=sh push origin a", "forbid by no-match"],
    ["GHSA-7f33-9mwg-h5hj: wrappers", "timeout 5 nice env sh src/a", "forbid by unparseable"],
    ["CVE-2026-25722: cd, then a relative write", "cd .git && tee config", "forbid by unparseable"],
    ["CVE-2026-25725: the agent's own settings", "tee .claude/settings.json", "forbid by paths.write"],
    ["CVE-2025-54794: a prefix is no folder", "tee src-evil/a", "forbid by paths.write"],
    ["codex #37079: a look-alike binary", "/tmp/git status", "forbid by no-match"],
    ["openclaw #23276: a stored shell", "bash -c 'bash src/a.sh'", "forbid by unparseable"],
  ])("%s: %s", (_id, text, expected) => {
    expect(run(text)).toBe(expected);
  });

  test("CVE-2026-25722: cd by the call's own folder, then a relative write", () => {
    const folders = [".git", "src/../.git", "src"];
    expect(folders.map((cwd) => outcome(["tee", "config"], cwd))).toEqual([
      "forbid by paths.read",
      "forbid by no-match",
      "allow by tee",
    ]);
  });

  // The link itself can't be seen in a command's words: its target is outside what the sandbox holds.
  test("CVE-2026-25724: a link to evade a rule can't be made out of the workspace", () => {
    expect(["ln -s /etc src/a", "ln -s ../x src/a", "ln -s .env src/a"].map(run)).toEqual([
      "forbid by no-match",
      "forbid by no-match",
      "forbid by paths.write",
    ]);
  });

  test("openclaw #23276: an approved command opens no other", () => {
    const push = outcome(["git", "push", "origin", "a"]);
    expect([push, outcome(["git", "push", "origin", "b"]), outcome(["bash", "-c", "id"])]).toEqual([
      "approve by git-push",
      "approve by git-push",
      "forbid by no-match",
    ]);
  });

  test("Codewhale #6098: and a text that only speaks of a forbidden command is not taken for it", () => {
    expect([
      run("git commit -m 'cat <<E: rm -rf x'"),
      run("echo 'rm -rf src'"),
      run("rg 'rm -rf' src"),
    ]).toEqual(["allow by git-write", "allow by echo", "allow by rg"]);
  });
});
