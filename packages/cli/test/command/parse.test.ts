import { COMMANDS, parseCommandLine } from "@airlock/cli";
import { AirlockError } from "@airlock/core/fault";
import { describe, expect, test } from "vitest";

function refusalOf(...words: readonly string[]): string {
  try {
    parseCommandLine(COMMANDS, words);
  } catch (error) {
    if (error instanceof AirlockError && error.code === "USAGE") return error.message;
    throw error;
  }
  throw new Error("it was not refused");
}

function callOf(...words: readonly string[]) {
  const parsed = parseCommandLine(COMMANDS, words);
  if (parsed.kind !== "call") throw new Error("it is no call");
  return parsed;
}

describe("a command line", () => {
  test("gives the command, its word and its flags", () => {
    const { command, call } = callOf(
      "run",
      "Fix it",
      "--repo",
      ".",
      "--label",
      "a=1",
      "--label=b=2",
      "--wait",
    );
    expect(command).toBe(COMMANDS.run);
    expect(call.positional).toBe("Fix it");
    expect(call.text("repo")).toBe(".");
    expect(call.list("label")).toEqual(["a=1", "b=2"]);
    expect([call.on("wait"), call.on("json")]).toEqual([true, false]);
    expect(call.text("model")).toBeUndefined();
  });

  test.each([
    ["an unknown command", ["frobnicate"], /"frobnicate" is not a command; there are up, run, /],
    ["a name of Object's own", ["constructor"], /"constructor" is not a command/],
    ["an unknown flag", ["runs", "--frob"], /Unknown option '--frob'; `airlock runs --help`/],
    ["a flag without its value", ["up", "--data"], /--data/],
    ["a word too many", ["show", "a", "b"], /"b" is one word too many/],
    ["a word where none belongs", ["runs", "a"], /"a" is one word too many/],
    ["a missing word", ["show"], /`airlock show` needs RUN/],
  ])("with %s is refused", (_, words, message) => {
    expect(refusalOf(...words)).toMatch(message);
  });

  test.each([[[]], [["--help"]], [["-h"]], [["help"]]])("%j shows every command", (words) => {
    const parsed = parseCommandLine(COMMANDS, words);
    const text = parsed.kind === "help" ? parsed.text : "";
    expect(Object.keys(COMMANDS).filter((name) => !text.includes(`\n  ${name} `))).toEqual([]);
  });

  test.each(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])("`%s --help` shows every flag", (name) => {
    const parsed = parseCommandLine(COMMANDS, [...name.split(" "), "--help"]);
    const text = parsed.kind === "help" ? parsed.text : "";
    expect(text).toContain(`Usage: airlock ${name}`);
    expect(Object.keys(COMMANDS[name].flags).filter((flag) => !text.includes(`--${flag}`))).toEqual([]);
  });
});
