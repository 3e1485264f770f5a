import { describe, expect, test } from "vitest";
import { isPermitting } from "../../../src/policy/decision.ts";
import {
  HARMLESS,
  HOSTILE_GIT,
  HOSTILE_LANGUAGES,
  HOSTILE_NODE,
  HOSTILE_PACKAGE_MANAGERS,
} from "./developing-lines.ts";
import { decide, outcome } from "./farm-policy.ts";
import { HOSTILE_READERS, HOSTILE_WRAPPERS, HOSTILE_WRITERS } from "./running-lines.ts";

const WORD = /'([^']*)'|"([^"]*)"|(\S+)/g;

function commands(text: string): readonly (readonly string[])[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) =>
    [...line.matchAll(WORD)].map(([, single, double, plain]) => single ?? double ?? plain ?? ""),
  );
}

/** Without these, a policy that forbids all would pass the lists below. */
describe("the policy of a farm permits", () => {
  test.each(commands(HARMLESS).map((argv) => [argv]))("%j", (argv) => {
    expect(outcome(argv)).toMatch(/^allow by/);
  });
});

const HOSTILE = {
  git: commands(HOSTILE_GIT),
  node: commands(HOSTILE_NODE),
  "package managers": commands(HOSTILE_PACKAGE_MANAGERS),
  "languages and build tools": commands(HOSTILE_LANGUAGES),
  "what reads and searches": commands(HOSTILE_READERS),
  "what writes": commands(HOSTILE_WRITERS),
  wrappers: commands(HOSTILE_WRAPPERS),
};

describe.each(Object.entries(HOSTILE))(
  "what permits the harmless forms of %s does not permit",
  (_kind, lines) => {
    test.each(lines.map((argv) => [argv]))("%j", (argv) => {
      expect(isPermitting(decide(argv).decision), outcome(argv)).toBe(false);
    });
  },
);

test("the lists of hostile commands are long, and name none twice", () => {
  const all = Object.values(HOSTILE)
    .flat()
    .map((argv) => JSON.stringify(argv));
  expect(all.length).toBeGreaterThan(350);
  expect(new Set(all).size).toBe(all.length);
});
