import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderView } from "../../src/policy/folder-view.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-view-"));
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "file"), "");
  symlinkSync("round", path.join(folder, "round"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ["a folder", ["src"], { kind: "other" }],
  ["a link", ["round"], { kind: "link", target: "round" }],
  ["what isn't there", ["src", "a"], { kind: "missing" }],
  ["what would lie in a file", ["file", "a"], { kind: "missing" }],
  ["a name that no file system holds", ["a".repeat(300)], { kind: "missing" }],
])("sees %s", async (_name, components, entry) => {
  expect(await folderView(folder)(components)).toEqual(entry);
});

test("throws what says nothing of the entry, so that nothing is allowed by it", async () => {
  await expect(folderView(folder)(["round", "a"])).rejects.toThrow("ELOOP");
});
