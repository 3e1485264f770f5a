import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { evaluatePolicy, loadPolicy } from "@airlock/core/policy";
import { call } from "./call.ts";
import { policyText } from "./policy-text.ts";

const policy = loadPolicy({
  name: "p.yaml",
  text: policyText(
    [
      "{ id: notes, decision: allow, tool: write_file, args: { path: 'notes/[a-zé]+[.]md' } }",
      "{ id: no-keys, decision: forbid, tool: write_file, args: { content: '(?s).*BEGIN PRIVATE KEY.*' } }",
      "{ id: short, decision: allow, tool: read_file, args: { path: '.*', endLine: '[0-9]{1,3}' } }",
      "{ id: slow, decision: forbid, tool: list_files, args: { path: '(a+)+b' } }",
      "{ id: list, decision: allow, tool: list_files }",
      "{ id: no-word, decision: forbid, tool: run_command, args: { argv: 'evil' } }",
      "{ id: ls, decision: allow, tool: run_command, command: { exe: ls }, args: { argv: '[a-z]+' } }",
    ],
    ['paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }'],
  ),
});

describe("a pattern of an argument", () => {
  test.each<[string, string, JsonObject, string]>([
    ["matches the whole of it", "write_file", { path: "notes/a.md", content: "" }, "notes"],
    ["is anchored at its start", "write_file", { path: "x/notes/a.md", content: "" }, "no-match"],
    ["is anchored at its end", "write_file", { path: "notes/a.md.js", content: "" }, "no-match"],
    [
      "is not fooled by a second line",
      "write_file",
      { path: "notes/a.md", content: "\nBEGIN PRIVATE KEY\n" },
      "no-keys",
    ],
    ["compares in one normal form", "write_file", { path: "notes/e\u0301.md", content: "" }, "notes"],
    ["reads a number as its digits", "read_file", { path: "a", endLine: 999 }, "short"],
    ["does not match more of them", "read_file", { path: "a", endLine: 1000 }, "no-match"],
    ["does not permit where the argument is left out", "read_file", { path: "a" }, "no-match"],
    ["stops a call where one entry of a list matches", "run_command", { argv: ["ls", "evil"] }, "no-word"],
    ["permits only where every entry does", "run_command", { argv: ["ls", "A"] }, "no-match"],
    ["permits where every entry does", "run_command", { argv: ["ls", "src"] }, "ls"],
  ])("%s", (_name, tool, args, winner) => {
    expect(evaluatePolicy(policy, call(tool, args)).winning).toBe(winner);
  });

  test.each<[string, string, boolean]>([
    ["ab*c", "ac", true],
    ["ab?c", "ac", true],
    ["ab{0,1}c", "ac", true],
    ["ab+c", "ac", false],
    ["src/a|lib/b", "lib/b", true],
    ["src/(a|b)", "src/b", true],
    ["(?i)src", "SRC", true],
    ["src", "SRC", false],
    ["src", "src/a", false],
    ["src[.]js", "srcxjs", false],
  ])("%j on %j is %s, whatever a shortcut may see of it", (pattern, path, matches) => {
    const rule = `{ id: r, decision: allow, tool: read_file, args: { path: '${pattern}' } }`;
    const scopes = ['paths: { read: { allow: ["**"] } }'];
    const one = loadPolicy({ name: "p.yaml", text: policyText([rule], scopes) });
    expect(evaluatePolicy(one, call("read_file", { path })).winning).toBe(matches ? "r" : "no-match");
  });

  test("takes no longer for a text that would make a backtracking engine hang", () => {
    const request = call("list_files", { path: "a".repeat(4_000) });
    const started = performance.now();
    expect(evaluatePolicy(policy, request).winning).toBe("list");
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
