import { execFileSync } from "node:child_process";
import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linePattern, pathGlob } from "../../src/tools/line-pattern.ts";
import { toolFixture } from "./tool-fixture.ts";

const FILES = {
  "src/a.ts": "const one = 1;\nexport const Two = one + 1;\n",
  "src/deep/b.ts": "one(1)\r\n",
  "README.md": "One of these\nno\n",
  "node_modules/x/index.js": "one\n",
};

function places(outcome: unknown): readonly string[] {
  const text = JSON.stringify(outcome);
  return [...text.matchAll(/"path":"([^"]*)","line":(\d+)/g)].map(([, path, line]) => `${path}:${line}`);
}

describe("search_files", () => {
  test("gives each matching line with its file and number, and what it passed over", async () => {
    const { call } = await toolFixture(FILES);
    expect(await call("search_files", { path: ".", pattern: "\\bone\\b" })).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        matches: [
          { path: "src/a.ts", line: 1, text: "const one = 1;" },
          { path: "src/a.ts", line: 2, text: "export const Two = one + 1;" },
          { path: "src/deep/b.ts", line: 1, text: "one(1)" },
        ],
        searched: 3,
        skipped: 0,
        hidden: 0,
        truncated: false,
        bound: null,
      },
    });
  });

  test.each([
    ["a folder", { path: "src/deep", pattern: "one" }, ["src/deep/b.ts:1"]],
    ["a file", { path: "README.md", pattern: "n" }, ["README.md:1", "README.md:2"]],
    ["any case", { path: ".", pattern: "ONE", ignoreCase: true, files: "*.md" }, ["README.md:1"]],
    ["plain text", { path: ".", pattern: "one(1)", literal: true }, ["src/deep/b.ts:1"]],
    [
      "plain text in any case",
      { path: ".", pattern: "ONE(1)", literal: true, ignoreCase: true },
      ["src/deep/b.ts:1"],
    ],
    ["a glob", { path: ".", pattern: "one", files: "src/*.ts" }, ["src/a.ts:1", "src/a.ts:2"]],
    [
      "a folder that is passed over, when it is named",
      { path: "node_modules", pattern: "one" },
      ["node_modules/x/index.js:1"],
    ],
    ["nothing", { path: ".", pattern: "absent" }, []],
  ])("searches %s", async (_, args, expected) => {
    const { call } = await toolFixture(FILES);
    const outcome = await call("search_files", args);
    expect(outcome).toMatchObject({ status: "ok" });
    expect(places(outcome)).toEqual(expected);
  });

  test("never follows a link, opens nothing but plain files, and shows nothing of git's", async () => {
    const { call, tree, outside } = await toolFixture({ "a.txt": "secret-a" });
    writeFileSync(join(outside, "secret"), "secret-b");
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    symlinkSync(outside, join(tree, "dir"));
    linkSync(join(outside, "secret"), join(tree, "hard"));
    execFileSync("mkfifo", [join(tree, "fifo")]);
    execFileSync("bash", ["-c", `mkdir ${tree}/.git && echo secret-c > ${tree}/.git/config`]);
    const outcome = await call("search_files", { path: ".", pattern: "secret" });
    expect(places(outcome)).toEqual(["a.txt:1"]);
    for (const path of ["dir", "link", "hard", "..", "/etc", ".git", "absent"]) {
      expect(places(await call("search_files", { path, pattern: "s" }))).toEqual([]);
    }
  });

  test("passes over what policy hides, what is no text, and what is too large, and counts them", async () => {
    const { call, tree } = await toolFixture({ a: "word", ".env": "word", big: "word\n".repeat(1_000_000) });
    writeFileSync(join(tree, "binary"), Buffer.from("word\0"));
    writeFileSync(join(tree, "latin"), Buffer.from([0x77, 0x6f, 0x72, 0x64, 0xff]));
    const may = (_: string, path: string) => path !== ".env";
    const outcome = await call("search_files", { path: ".", pattern: "word" }, { may });
    expect(outcome).toMatchObject({ content: { searched: 1, skipped: 3, hidden: 1, truncated: false } });
    expect(places(outcome)).toEqual(["a:1"]);
  });

  test("ends at its bounds and says at which", async () => {
    const { call } = await toolFixture({
      a: "word\n".repeat(5000),
      b: `${"x".repeat(2000)}word${"y".repeat(2000)}`,
    });
    const few = await call("search_files", { path: "a", pattern: "word", maxMatches: 2 });
    expect(places(few)).toEqual(["a:1", "a:2"]);
    expect(few).toMatchObject({ content: { truncated: true, bound: "matches" } });
    const much = await call("search_files", { path: "a", pattern: "word", maxMatches: 1000 });
    expect(much).toMatchObject({ content: { truncated: true, bound: "output" } });
    expect(JSON.stringify(much).length).toBeLessThan(4400);
    const late = await call(
      "search_files",
      { path: "a", pattern: "w" },
      { limits: { timeoutMs: 0, outputBytes: 4096 } },
    );
    expect(late).toMatchObject({ content: { matches: [], truncated: true, bound: "time" } });
    const long = await call("search_files", { path: "b", pattern: "word" });
    expect(JSON.stringify(long)).toMatch(/…x+wordy+…/);
  });

  test.each(["(", "a{1001}", "(?=a)", "(a)\\1", "((a{30}){30}){30}", "x{900}y{900}", "[[:nope:]]"])(
    "refuses the pattern %s",
    async (pattern) => {
      const { call } = await toolFixture({ a: "a" });
      expect(await call("search_files", { path: ".", pattern })).toMatchObject({
        status: "refused",
        errorClass: "TOOL_FAILED",
      });
    },
  );

  test("takes time that is linear in the text for patterns that others explode on", async () => {
    const { call } = await toolFixture({ a: `${"a".repeat(100_000)}\n`.repeat(20) });
    const outcome = await call("search_files", { path: ".", pattern: "^(a+)+$|(a|a)*b|(.*.*.*)c" });
    expect(outcome).toMatchObject({ status: "ok" });
  });
});

test("a plain pattern finds what the text's own search finds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "\\", "(", "é"), maxLength: 12 });
  fc.assert(
    fc.property(
      text,
      text.filter((each) => each !== ""),
      (line, word) => {
        const pattern = linePattern(word, { literal: true, ignoreCase: false });
        const folded = linePattern(word, { literal: true, ignoreCase: true });
        expect(pattern.ok && pattern.find(line)).toBe(line.indexOf(word));
        expect(folded.ok && folded.find(line)).toBe(line.indexOf(word));
      },
    ),
  );
});

test.each([
  ["*.ts", "src/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/b/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/b/c/a.ts", true],
  ["src/**", "src/b/c", true],
  ["*.{js,ts}", "a.ts", true],
  ["*.{js,ts}", "a.md", false],
  ["a?c", "abc", true],
  ["a?/c", "a//c", false],
  ["a.b", "axb", false],
  ["(a+)+[", "(a+)+[", true],
  ["{a,{b,c}}", "c", true],
  ["{a", "a", true],
  ["a,b}", "a,b}", true],
])("the glob %s matches %s: %s", (glob, path, matches) => {
  expect(pathGlob(glob)(path)).toBe(matches);
});
