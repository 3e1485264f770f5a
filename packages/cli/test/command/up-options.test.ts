import { COMMANDS, parseCommandLine } from "@airlock/cli";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import type { Environment } from "../../src/config.ts";
import { upOptions } from "../../src/command/up-options.ts";
import { paper } from "../view/screen.ts";

const folder = realpathSync(tmpdir());

function optionsOf(words: readonly string[], environment: Environment = {}) {
  const parsed = parseCommandLine(COMMANDS, ["up", ...words]);
  if (parsed.kind !== "call") throw new Error("it is no call");
  return upOptions(parsed.call, { environment, folder, out: paper(), errors: paper() });
}

describe("the options of `up`", () => {
  test("are the current folder, free ports and no gateway", () => {
    expect(optionsOf([])).toEqual({
      data: `${folder}/.airlock`,
      gateway: null,
      port: null,
      sources: [folder],
      environment: {},
      folder,
    });
  });

  test("come from flags before the environment", () => {
    const environment = { AIRLOCK_DATA: "theirs", AIRLOCK_SOURCES: "https://example.org/a, /" };
    expect(optionsOf([], environment)).toMatchObject({
      data: `${folder}/theirs`,
      sources: ["https://example.org/a", "/"],
    });
    const words = ["--data", "/ours", "--source", ".", "--gateway", "fixtures", "--port", "9000"];
    expect(optionsOf(words, environment)).toMatchObject({
      data: "/ours",
      sources: [folder],
      gateway: `${folder}/fixtures`,
      port: 9_000,
    });
  });

  test.each([
    [["--port", "x"], {}, /--port x: it has to be a port number/],
    [["--port", "65532"], {}, /--port 65532/],
    [["--source", "nope"], {}, /--source: there is nothing at /],
    [["--source", "a,b"], {}, /can't hold a comma/],
    [[], { AIRLOCK_DTA: "x" }, /AIRLOCK_DTA is not a setting; did you mean AIRLOCK_DATA\?/],
  ])("%j with %j are refused", (words, environment, message) => {
    expect(() => optionsOf(words, environment)).toThrow(message);
  });
});
