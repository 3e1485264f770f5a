import { describe, expect, test } from "vitest";
import { commandParts } from "../../../src/policy/command/index.ts";

const LIMITS = { commands: 20, wrapperDepth: 6 };

function read(line: readonly string[]): readonly string[] | string {
  const result = commandParts(line, LIMITS);
  if (!result.ok) return result.reason;
  return result.parts.map(({ argv, assignments, undetermined }) =>
    [...assignments, argv.join(" "), ...(undetermined ? ["…"] : [])].join(" "),
  );
}

describe("the programs that a command starts are", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["itself", ["git", "status"], ["git status"]],
    ["env's", ["env", "A=1", "-u", "B"], ["A=1 env", "-u B"]],
    [
      "env's, with what it sets and removes",
      ["env", "-u", "B", "--unset=C", "A=1", "ls", "x=y"],
      ["B C A=1 env", "ls x=y"],
    ],
    ["env's after --", ["env", "--", "A=1", "ls"], ["A=1 env", "ls"]],
    [
      "timeout's",
      ["timeout", "-s", "KILL", "--kill-after=5", "30s", "ls", "-l"],
      ["timeout -s KILL --kill-after=5 30s", "ls -l"],
    ],
    ["nice's", ["nice", "-n", "5", "ls"], ["nice -n 5", "ls"]],
    ["ionice's", ["ionice", "-c", "3", "ls"], ["ionice -c 3", "ls"]],
    ["nohup's", ["nohup", "ls"], ["nohup", "ls"]],
    ["setsid's", ["setsid", "--wait", "ls"], ["setsid --wait", "ls"]],
    ["stdbuf's", ["stdbuf", "-o", "L", "--error=0", "ls"], ["stdbuf -o L --error=0", "ls"]],
    ["time's", ["time", "-p", "ls"], ["time -p", "ls"]],
    [
      "xargs's, with words that nobody knows",
      ["xargs", "-0", "-n", "1", "env", "ls"],
      ["xargs -0 -n 1", "env …", "ls …"],
    ],
    ["a shell's", ["bash", "--norc", "-euc", "git log 'a b'"], ["bash --norc -euc", "git log a b"]],
    ["sh's in sh", ["sh", "-c", 'dash -c "ls -l"'], ["sh -c", "dash -c", "ls -l"]],
    [
      "find's",
      ["find", "src", "-type", "f", "-exec", "ls", "{}", ";", "-execdir", "wc", "-l", "{}", "+"],
      ["find src -type f", "ls {}", "wc -l {} …"],
    ],
    ["find's, with a plus that ends nothing", ["find", "-exec", "echo", "+", ";"], ["find", "echo +"]],
    ["awk alone, without its program", ["awk", "-F", ":", "$1 ~ /a/ { print $2 }", "a"], ["awk -F : a"]],
    ["sed alone, without its script", ["sed", "-n", "1,5p", "a", "-i"], ["sed -n -i a"]],
    ["sed alone, without its scripts", ["sed", "-e", "s/a\\/b/c/g", "--expression=$d", "--", "a"], ["sed a"]],
    [
      "npm exec's, of the workspace",
      ["npm", "exec", "--no", "--", "eslint", "-q"],
      ["npm exec --no", "node_modules/.bin/eslint -q"],
    ],
    ["npx's, of the workspace", ["npx", "--no", "--", "eslint"], ["npx --no", "node_modules/.bin/eslint"]],
    ["pnpm exec's, of the workspace", ["pnpm", "exec", "eslint"], ["pnpm exec", "node_modules/.bin/eslint"]],
    ["npm's own", ["npm", "run", "lint"], ["npm run lint"]],
    [
      "those of wrappers in each other, in order",
      ["nice", "timeout", "5", "env", "A=1", "sh", "-c", "ls"],
      ["nice", "timeout 5", "A=1 env", "sh -c", "ls"],
    ],
    ["a wrapper's of another folder", ["/usr/bin/env", "rm"], ["/usr/bin/env", "rm"]],
  ])("%s: %j", (_name, argv, parts) => {
    expect(read(argv)).toEqual(parts);
  });
});

const UNREAD = "what a program in this command would run can't be read for certain";

describe("nobody can tell what is started by", () => {
  test.each<[string, readonly string[]]>([
    ["an option that is not in the table", ["timeout", "--unknown", "5", "ls"]],
    ["an abbreviated option", ["timeout", "--sig", "KILL", "5", "ls"]],
    ["a value glued to an option", ["nice", "-n5", "ls"]],
    ["options run together", ["xargs", "-0r", "ls"]],
    ["an option without its value", ["timeout", "-s"]],
    ["an operand of another form", ["timeout", "ls", "5"]],
    ["a wrapper without a command", ["nohup"]],
    ["env that clears what is set", ["env", "-i", "ls"]],
    ["env that splits a text", ["env", "-S", "ls -l"]],
    ["a shell with a script", ["bash", "a.sh"]],
    ["a shell that reads its input", ["bash", "-s"]],
    ["a shell with more words than a text", ["bash", "-c", "ls", "x"]],
    ["a shell with other flags beside c", ["bash", "-ic", "ls"]],
    ["a shell with a text that is not simple", ["bash", "-c", "ls | sh"]],
    ["find with an exec that does not end", ["find", "-exec", "ls"]],
    ["find with an exec of nothing", ["find", "-exec", ";"]],
    ["find with a found program", ["find", "-exec", "{}", ";"]],
    ["find with a path inside a word", ["find", "-exec", "ls", "--x={}", ";"]],
    ["awk with a program of a file", ["awk", "-f", "a.awk"]],
    ["awk without a program", ["awk"]],
    ["awk that runs a command", ["awk", "{ system($0) }"]],
    ["sed with a script of a file", ["sed", "-f", "a.sed"]],
    ["sed without a script", ["sed", "-n"]],
    ["sed that runs a command", ["sed", "s/a/b/e"]],
    ["npm exec that may fetch", ["npm", "exec", "--", "eslint"]],
    ["npm exec without --", ["npm", "exec", "--no", "eslint"]],
    ["npm exec of a version", ["npm", "exec", "--no", "--", "eslint@1"]],
    ["pnpm exec of a path", ["pnpm", "exec", "./eslint"]],
    ["what is unread inside a wrapper", ["nice", "bash", "a.sh"]],
  ])("%s: %j", (_name, argv) => {
    expect(read(argv)).toBe(UNREAD);
  });

  test("such a command, but what was read of it is still there for rules that stop calls", () => {
    const argv = ["find", "-exec", "rm", "{}", ";", "-exec", "bash", "a.sh", ";", "-exec", "ls", ";"];
    const parts = [["find"], ["rm", "{}"], ["bash", "a.sh"], ["ls"]];
    expect(commandParts(argv, LIMITS)).toEqual({
      ok: false,
      reason: UNREAD,
      parts: parts.map((words) => ({ argv: words, assignments: [], undetermined: false })),
    });
  });
});

describe("a limit", () => {
  const nested = (depth: number): readonly string[] => [...Array<string>(depth).fill("nice"), "ls"];
  const beside = (count: number): readonly string[] => [
    "find",
    ...Array.from({ length: count }, () => ["-exec", "ls", ";"]).flat(),
  ];
  const ok = (argv: readonly string[], limits: typeof LIMITS): boolean => commandParts(argv, limits).ok;

  test("of wrappers refuses the whole command one beyond it", () => {
    expect([
      ok(nested(6), LIMITS),
      ok(nested(7), LIMITS),
      ok(nested(1), { ...LIMITS, wrapperDepth: 0 }),
    ]).toEqual([true, false, false]);
  });

  test("of commands refuses the whole command one beyond it", () => {
    expect([ok(beside(19), LIMITS), ok(beside(20), LIMITS), ok(beside(5_000), LIMITS)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("that is exceeded is named", () => {
    const reasons = [nested(7), beside(20)].map((argv) => read(argv));
    expect(reasons).toEqual([
      "more than 6 programs around a command: limits.wrapperDepth",
      "the command holds more than 20 commands: limits.commands",
    ]);
  });
});
