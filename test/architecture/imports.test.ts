import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CORE_FOLDERS, findingsOf, importsOf } from "./import-rules.ts";
import { PACKAGES, ROOT, sourcesOf } from "./source-tree.ts";

describe("the sources", () => {
  test.each(Object.entries(PACKAGES))(
    "%s has at least %i files, and none breaks a rule",
    (folder, atLeast) => {
      const files = sourcesOf(folder);
      expect(files.length).toBeGreaterThanOrEqual(atLeast);
      expect(files.flatMap(findingsOf)).toEqual([]);
    },
  );

  test("import something: a scan that finds no import would pass everything", () => {
    const imports = Object.keys(PACKAGES)
      .flatMap(sourcesOf)
      .flatMap((file) => importsOf(file.text));
    expect(imports.length).toBeGreaterThan(500);
  });

  test("lie in folders of core that all have a place in the order", () => {
    const folders = readdirSync(join(ROOT, "packages/core/src"));
    expect(folders.filter((folder) => !CORE_FOLDERS.some((known) => known === folder))).toEqual([]);
  });
});

const service = "services/streamer/src/attempt/on-turn.ts";
const core = "packages/core/src/policy/load.ts";

describe("a rule", () => {
  test.each([
    ["a folder to the right", core, 'import { a } from "../run/index.ts";'],
    ["a folder to the right, as a type", core, 'import type { A } from "../run/index.ts";'],
    ["a folder to the right, over several lines", core, 'import {\n  a,\n} from "../run/index.ts";'],
    ["a folder to the right, passed on", core, 'export { a } from "../run/index.ts";'],
    ["a file behind a folder's index", core, 'import { a } from "../json/canonical.ts";'],
    ["an unknown folder", core, 'import { a } from "../helpers/index.ts";'],
    ["core by its name, inside core", core, 'import { a } from "@airlock/core/json";'],
    ["a file without its ending", core, 'import { a } from "./rules";'],
    ["another package by a path", service, 'import { a } from "../../../validator/src/deps.ts";'],
    ["another service", service, 'import { a } from "@airlock/validator";'],
    ["the replay gateway in a service", service, 'import { a } from "@airlock/replay";'],
    ["core's internals", service, 'import { a } from "@airlock/core/run/reads";'],
    ["core as a whole", service, 'import { a } from "@airlock/core";'],
    ["an import for its effect", service, 'import "@airlock/validator";'],
    ["an import at run time", service, 'const a = await import("@airlock/validator");'],
    ["a read of the environment", service, "const key = process.env.COMETAPI_KEY;"],
  ])("refuses %s", (_, path, text) => {
    expect(findingsOf({ path, text })).toHaveLength(1);
  });

  test.each([
    ["a folder to the left", core, 'import { a } from "../json/index.ts";'],
    ["its own folder", core, 'import { a } from "./rules.ts";'],
    ["a nested file of its own folder", "packages/core/src/wire/a/b.ts", 'import { a } from "../events.ts";'],
    ["a dependency", core, 'import { z } from "zod";'],
    ["a folder of core", service, 'import { a } from "@airlock/core/run";'],
    ["a service in the CLI", "packages/cli/src/main.ts", 'import { a } from "@airlock/validator";'],
    ["the environment in config.ts", "services/streamer/src/config.ts", "load(process.env);"],
  ])("allows %s", (_, path, text) => {
    expect(findingsOf({ path, text })).toEqual([]);
  });
});
