import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { firstClosedFolder, prepareDataFolder } from "../../src/local/data-folder.ts";
import { dataPaths } from "../../src/local/index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "airlock-data-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("the data folder", () => {
  test("is its owner's alone, with every file in it", () => {
    const paths = dataPaths(path.join(folder, "data"));
    prepareDataFolder(paths, false);
    expect([paths.data, paths.keys, paths.redis, paths.logs, paths.volume].map(modeOf)).toEqual(
      Array.from({ length: 5 }, () => 0o700),
    );
    const files = readdirSync(paths.keys);
    expect(files.toSorted()).toEqual([
      "approver.json",
      "client.json",
      "console.json",
      "executor.json",
      "streamer.json",
      "validator.json",
    ]);
    expect(new Set(files.map((file) => modeOf(path.join(paths.keys, file))))).toEqual(new Set([0o600]));
  });

  test("lets the sandbox's user pass to the workspaces of a root executor, and to nothing else", () => {
    const paths = dataPaths(folder);
    prepareDataFolder(paths, true);
    const modes = [paths.data, paths.volume, paths.keys, paths.redis, paths.logs].map(modeOf);
    expect(modes).toEqual([0o711, 0o711, 0o700, 0o700, 0o700]);
  });

  test("keeps its keys at the next start", () => {
    const paths = dataPaths(folder);
    prepareDataFolder(paths, false);
    const before = readFileSync(paths.keyring("client"), "utf8");
    prepareDataFolder(paths, false);
    expect(readFileSync(paths.keyring("client"), "utf8")).toBe(before);
  });

  test("is refused where one of its keys is lost, or may be read by others", () => {
    const paths = dataPaths(folder);
    prepareDataFolder(paths, false);
    chmodSync(paths.keyring("validator"), 0o644);
    expect(() => prepareDataFolder(paths, false)).toThrow(/chmod 600/);
    rmSync(paths.keyring("validator"));
    expect(() => prepareDataFolder(paths, false)).toThrow(/missing: .*validator\.json; put them back/);
  });

  test("shows which folder on the way is closed to others", () => {
    const inner = path.join(folder, "a", "b");
    chmodSync(folder, 0o700);
    expect(firstClosedFolder(inner)).toBe(folder);
    chmodSync(folder, 0o711);
    expect(firstClosedFolder(inner)).toBeNull();
  });
});
