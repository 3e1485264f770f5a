import { describe, expect, test } from "vitest";
import { sourcesOf } from "./source-tree.ts";

/** Where text of a model, or of a tool, is on its way to an effect or a result. */
const ON_THE_WAY = [
  "packages/core/src/terminal",
  "packages/core/src/tool",
  "packages/core/src/verdict",
  "packages/core/src/policy",
  "packages/core/src/artifact",
  "packages/core/src/approval",
  "packages/core/src/call",
  "services/validator/src/verdict",
  "services/executor/src/grant",
  "services/executor/src/tools",
];

/** Each with what it reads. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "packages/core/src/terminal/buffered.ts": "a provider's response body; the arguments in it stay text",
};

describe("text of a model", () => {
  test("is read by the strict parser alone", () => {
    const files = ["packages/core", "services/validator", "services/executor"]
      .flatMap(sourcesOf)
      .filter(({ path }) => ON_THE_WAY.some((folder) => path.startsWith(`${folder}/`)));
    expect(files.length).toBeGreaterThan(60);
    const lenient = files.filter(({ text }) => /\bJSON\.parse\b/.test(text));
    expect(lenient.map(({ path }) => path)).toEqual(Object.keys(EXCEPTIONS));
  });
});
