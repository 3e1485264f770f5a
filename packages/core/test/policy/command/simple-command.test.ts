import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitSimpleCommand } from "@airlock/core/policy";
import { fuzzLexer } from "../../../../../scripts/fuzz-lexer/fuzz.ts";
import { candidate } from "../../../../../scripts/fuzz-lexer/candidates.ts";
import { createRandom } from "../../../../../test/support/random.ts";
import { commandParts } from "../../../src/policy/command/index.ts";

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const PRINTABLE = ASCII.filter((char) => char >= " " && char <= "~");

function accepted(chars: readonly string[], around: (char: string) => string): string {
  return chars.filter((char) => splitSimpleCommand(around(char)) !== null).join("");
}

function without(chars: string): string {
  return PRINTABLE.filter((char) => !chars.includes(char)).join("");
}

describe("a command text", () => {
  test.each<[string, readonly string[]]>([
    ["git status", ["git", "status"]],
    ["  git\tlog  -n 5 ", ["git", "log", "-n", "5"]],
    [`git log 'a b' "c d" e'f'"g"`, ["git", "log", "a b", "c d", "efg"]],
    ["ls ''", ["ls", ""]],
    ["ls 'é' \"ü\"", ["ls", "é", "ü"]],
    [`echo '$x\`\\!"' "'*?~#;|&<>(){}[]^"`, ["echo", '$x`\\!"', "'*?~#;|&<>(){}[]^"]],
  ])("%j is the argv %j", (text, argv) => {
    expect(splitSimpleCommand(text)).toEqual(argv);
  });

  test("may hold outside quotes only what no shell reads as anything else", () => {
    const plain = "%+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    expect(accepted(ASCII, (char) => `ls a${char}b`)).toBe(`\t ${plain}`);
    expect(accepted(ASCII, (char) => `l${char}s`)).toBe(`\t ${plain.replace("=", "")}`);
  });

  test("may hold in single quotes all that is printed but the quote", () => {
    expect(accepted(ASCII, (char) => `ls 'a${char}b'`)).toBe(without("'"));
  });

  test("may hold in double quotes what is not expanded there", () => {
    expect(accepted(ASCII, (char) => `ls "a${char}b"`)).toBe(without('"\\$`!'));
  });

  test.each([
    "",
    "  ",
    "a;b",
    "a&&b",
    "a|b",
    "a>b",
    "a<b",
    "a&",
    "$(a)",
    "`a`",
    "echo $IFS",
    'echo "$x"',
    'echo "a\\"',
    "a\nb",
    "a\rb",
    "a\u0000b",
    "a\u000bb",
    "a\u0085b",
    "ls *",
    "ls ?",
    "ls ~",
    "ls {a,b}",
    "ls # x",
    "(ls)",
    "!ls",
    'echo "a!"',
    "'ls'",
    'l"s"',
    "''ls",
    "A=1 ls",
    "A=1",
    "A+=1 ls",
    "%1",
    "-x ls",
    ": x",
    "if true",
    "cd src",
    ". x",
    "exec ls",
    "time ls",
    "ls 'a",
    'ls "a',
    "ls a\\ b",
    "ls é",
    "ls 'a\tb'",
    "ls 'a\u200bb'",
    "ls 'a\u202eb'",
    "ls 'a\u2066b'",
    "ls 'a\ufeffb'",
    "ls 'a\u00adb'",
    "ls 'a\u034fb'",
    "ls 'a\u00a0b'",
    "ls 'a\u2028b'",
    "ls 'a\ufffdb'",
    "ls 'a\ud800b'",
    "ls 'e\u0301'",
    "ls\u00a0a",
    "ls\u3000a",
  ])("%j is not one simple command", (text) => {
    expect(splitSimpleCommand(text)).toBe(null);
  });

  test("has at most 8 KiB, counted in bytes, and 256 words", () => {
    const bytes = (length: number): string => `ls ${"a".repeat(length - 3)}`;
    const wide = (length: number): string => `ls '${"é".repeat(length)}'`;
    const words = (count: number): string => "ls ".repeat(count);
    const results = [bytes(8_192), bytes(8_193), wide(4_093), wide(4_094), words(256), words(257)];
    expect(results.map((text) => splitSimpleCommand(text) !== null)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("beside bash", () => {
  const names = (kind: string): readonly string[] =>
    execFileSync("bash", ["-c", `compgen -${kind}`], { encoding: "utf8" })
      .trim()
      .split("\n");

  test("no reserved word starts a simple command, and no builtin that is not a program too", () => {
    const starts = (name: string): boolean => splitSimpleCommand(name) !== null;
    expect(names("k").filter(starts)).toEqual([]);
    expect(names("b").filter(starts)).toEqual(["echo", "false", "kill", "printf", "pwd", "test", "true"]);
  });

  test("what is taken for one simple command is one to bash, with the same words", async () => {
    const { tried, findings } = await fuzzLexer({ seed: 1_130, accepted: 5_000 });
    expect(findings).toEqual([]);
    expect(tried).toBeGreaterThan(10_000);
  });
});

test("a text that is not one simple command is never taken as one, whatever runs it", () => {
  const limits = { commands: 20, wrapperDepth: 6 };
  const hostile = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom(..."ls'\"$`;&|<>(){}\\ \t\n!~*=%a".split("")) }),
    fc.nat().map((seed) => candidate(createRandom(seed))),
  );
  fc.assert(
    fc.property(hostile, fc.constantFrom("sh", "bash", "dash", "ash"), (text, shell) => {
      fc.pre(splitSimpleCommand(text) === null);
      const runs = [
        [shell, "-c", text],
        ["env", shell, "-lc", text],
        ["find", ".", "-exec", shell, "-c", text, ";"],
      ];
      expect(runs.map((argv) => commandParts(argv, limits).ok)).toEqual([false, false, false]);
    }),
  );
});
