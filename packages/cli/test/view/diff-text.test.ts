import { expect, test } from "vitest";
import type { DiffDocument } from "@airlock/operator/document";
import { diffNotes, diffStatText } from "../../src/view/index.ts";

const DIFF: NonNullable<DiffDocument["diff"]> = {
  version: 1,
  endedAt: 1,
  baseRevision: "a".repeat(40),
  files: [
    { path: "src/a.ts", added: 3, deleted: 1 },
    { path: "\u001b[31mlogo.png\n", added: null, deleted: null },
  ],
  filesTotal: 2,
  text: "diff",
  textBytes: 4,
  ignored: [],
  ignoredTotal: 0,
  prepared: [],
  problems: [],
  branch: null,
};
const document = (diff: Partial<typeof DIFF>): DiffDocument => ({
  id: "r1",
  state: "completed",
  pool: "default",
  status: "taken",
  why: null,
  diff: { ...DIFF, ...diff },
});

test("--stat gives a line for each file, and nothing that a name could do to a terminal", () => {
  expect(diffStatText(DIFF).split("\n")).toEqual([
    "FILE      ADDED   DELETED",
    "src/a.ts  +3      -1",
    "logo.png  binary",
    "2 files changed, +3 -1",
  ]);
  expect(diffStatText({ ...DIFF, filesTotal: 9 })).toContain("and 7 more files");
});

test.each<[string, Partial<typeof DIFF>, readonly string[]]>([
  ["nothing where there is nothing to say", {}, []],
  ["that it is empty", { files: [], filesTotal: 0 }, ["empty: the run changed no file"]],
  ["that it was cut", { textBytes: 900 }, ["cut: the first 4 of 900 bytes are kept"]],
  [
    "what it leaves out, and where it was committed",
    {
      ignored: ["dist/"],
      ignoredTotal: 60,
      prepared: ["node_modules"],
      problems: ["warning: x"],
      branch: "airlock/r1",
    },
    [
      "not compared, since prepared: node_modules",
      "left out by ignore rules: dist/, …",
      "not compared: warning: x",
      "committed on branch airlock/r1, in commits/ of the pool's volume",
    ],
  ],
])("a diff tells %s", (_, change, notes) => {
  expect(diffNotes(document(change))).toEqual(notes);
});

test("says why there is none", () => {
  const none = { ...document({}), status: "gone", why: "pool a is gone", diff: null } as const;
  expect(diffNotes(none)).toEqual(["no diff of r1: pool a is gone"]);
});
