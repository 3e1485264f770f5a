import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandLine } from "./command-line.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-tools-"));
  mkdirSync(path.join(folder, "tools"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `airlock …` in the test's folder. */
function airlock(words: string, environment: Readonly<Record<string, string>> = {}) {
  return commandLine(words.split(" "), { folder, environment });
}

function writeTool(name: string, program: string): void {
  const text = `apiVersion: airlock.tool/v1
name: ${name}
description: A tool.
inputSchema: { type: object, additionalProperties: false }
effect: read
claims: {}
command: [${program}]
`;
  writeFileSync(path.join(folder, `tools/${name}.yaml`), text);
}

const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
const LIMITS = { timeoutMs: 60_000, outputBytes: 262_144, argumentBytes: 65_536 };

describe("airlock tools", () => {
  test("lists the built-in tools and the operator's, for people and for programs", async () => {
    writeTool("count", "ls");
    const environment = { AIRLOCK_TOOLS: "tools" };
    const { said } = await airlock("tools", environment);
    expect(said.split("\n").map((line) => line.split(/ +/).slice(0, 3))).toEqual([
      ["TOOL", "EFFECT", "ORIGIN"],
      ["read_file", "read", "builtin"],
      ["list_files", "read", "builtin"],
      ["search_files", "read", "builtin"],
      ["write_file", "mutating", "builtin"],
      ["edit_file", "mutating", "builtin"],
      ["delete_file", "mutating", "builtin"],
      ["move_file", "mutating", "builtin"],
      ["apply_patch", "mutating", "builtin"],
      ["run_command", "mutating", "builtin"],
      ["git_status", "read", "builtin"],
      ["git_diff", "read", "builtin"],
      ["git_log", "read", "builtin"],
      ["git_commit", "mutating", "builtin"],
      ["git_push", "mutating", "builtin"],
      ["count", "read", "operator"],
    ]);
    const listed: unknown[] = JSON.parse((await airlock("tools --json", environment)).said);
    expect(listed.at(-1)).toEqual({
      name: "count",
      effect: "read",
      origin: "operator",
      digest,
      limits: LIMITS,
    });
  });

  test("lists the built-in ones alone where the operator has none", async () => {
    const listed: readonly { readonly origin: string }[] = JSON.parse((await airlock("tools --json")).said);
    expect(new Set(listed.map(({ origin }) => origin))).toEqual(new Set(["builtin"]));
  });
});

describe("airlock tools check", () => {
  test("shows the tools of a file or folder that can be used", async () => {
    writeTool("count", "ls");
    const program = path.join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    writeTool("other", program);
    writeFileSync(path.join(folder, "tools/notes.txt"), "not a tool");
    const { code, said } = await airlock("tools check tools --json");
    expect([code, JSON.parse(said)]).toEqual([
      0,
      ["count", "other"].map((name) => ({
        name,
        effect: "read",
        origin: "operator",
        digest,
        limits: LIMITS,
      })),
    ]);
    expect((await airlock("tools check tools/count.yaml")).said).toContain("count  read");
  });

  test("names the place of what can't be used; a program that is elsewhere only unless it is left out", async () => {
    writeTool("count", "no-such-program");
    const failed: unknown = await airlock("tools check tools").catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AirlockError);
    expect(failed).toMatchObject({
      code: "TOOLS_INVALID",
      message: expect.stringContaining(
        'tools/count.yaml:7:11: the program "no-such-program" can\'t be run: no program of this name is installed',
      ),
    });
    expect((await airlock("tools check tools --manifests")).code).toBe(0);
  });

  test("names what is wrong with every file, and every program that is missing", async () => {
    writeFileSync(path.join(folder, "tools/a.yaml"), "- a\n");
    writeFileSync(path.join(folder, "tools/b.yaml"), "name: [\n");
    writeTool("read_file", "ls");
    const said = await airlock("tools check tools").then(
      () => "",
      (error: unknown) => (error instanceof AirlockError ? error.detail : ""),
    );
    expect(said.replaceAll(`${folder}/`, "").split("\n")).toEqual([
      "tools/a.yaml:1:1: the file is no mapping; a tool is written as keys with values",
      expect.stringMatching(/^tools\/b\.yaml:\d:\d: /),
      'tools/read_file.yaml:2:1: "read_file" is a built-in tool\'s name; rename or drop one',
    ]);
    for (const name of ["a", "b", "read_file"]) rmSync(path.join(folder, `tools/${name}.yaml`));
    for (const name of ["one", "two"]) writeTool(name, `no-${name}`);
    await expect(airlock("tools check tools")).rejects.toThrow(
      /"no-one" can't be run.*\n.*"no-two" can't be run/,
    );
  });

  test("refuses a place that is not there", async () => {
    await expect(airlock("tools check nothing")).rejects.toThrow("nothing can't be read (ENOENT)");
  });
});
