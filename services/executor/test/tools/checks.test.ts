import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolFixture } from "./tool-fixture.ts";

const FILES = { "a.txt": "one\n", "b.txt": "two\n" };
const DIGEST = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";
const EDIT = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";

describe("a dry run of a patch", () => {
  test("says how many files it would change, and changes none", async () => {
    const { call, snapshot } = await toolFixture(FILES);
    expect(await call("airlock.check_patch", { patch: EDIT })).toEqual({
      status: "ok",
      errorClass: null,
      content: { files: 1 },
    });
    expect(await snapshot()).toEqual(FILES);
  });

  test.each([
    [
      "context that is gone",
      EDIT + EDIT.replaceAll("a.txt", "b.txt"),
      "file 2 of the patch: a hunk (old lines 1) does not match the file; read it again and make a new patch",
    ],
    [
      "a file that exists",
      "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n",
      "file 1 of the patch: the file exists already",
    ],
    [
      "a protected place",
      EDIT.replaceAll("a.txt", ".git/config"),
      "file 1 of the patch: `.git` is protected",
    ],
    ["no patch", "prose\n", "line 1: this is no part of a unified diff"],
  ])("refuses %s in words that name no path", async (_, patch, detail) => {
    const { call } = await toolFixture(FILES);
    expect(await call("airlock.check_patch", { patch })).toEqual({
      status: "refused",
      errorClass: "PATCH_REFUSED",
      detail,
    });
  });
});

describe("a look at files", () => {
  test("gives the size and digest of each", async () => {
    const { call } = await toolFixture(FILES);
    expect(
      await call("airlock.check_files", { files: [{ path: "a.txt", minBytes: 4, sha256: DIGEST }] }),
    ).toEqual({
      status: "ok",
      errorClass: null,
      content: { files: [{ path: "a.txt", sizeBytes: 4, sha256: DIGEST }] },
    });
  });

  test("tells of every file that is missing, short or another", async () => {
    const { call } = await toolFixture(FILES);
    const files = [{ path: "a.txt", minBytes: 5 }, { path: "b.txt", sha256: DIGEST }, { path: "c.txt" }];
    expect(await call("airlock.check_files", { files })).toEqual({
      status: "refused",
      errorClass: "ARTIFACT_INVALID",
      detail:
        '"a.txt": it has 4 bytes, and 5 are the least; "b.txt": it holds something else than the digest says; "c.txt": there is no such file',
    });
  });

  test("follows no link, and takes no folder for a file", async () => {
    const { call, tree, outside } = await toolFixture(FILES);
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    linkSync(join(outside, "secret"), join(tree, "hard"));
    for (const path of ["link", "hard", "."]) {
      expect(await call("airlock.check_files", { files: [{ path }] })).toMatchObject({ status: "refused" });
    }
  });
});
