import { describe, expect, test } from "vitest";
import { BUILTIN_MANIFESTS, createCatalog, resourceClaims } from "@airlock/core/tool";

const manifest = createCatalog(BUILTIN_MANIFESTS).get("apply_patch");

function writtenBy(lines: readonly string[]): readonly string[] | "whole workspace" {
  if (manifest === undefined) throw new Error("apply_patch is gone");
  const claims = resourceClaims(manifest, { patch: `${lines.join("\n")}\n` });
  return claims.workspace === "write" ? "whole workspace" : claims.writes;
}

const HUNK = ["@@ -1 +1 @@", "-a", "+b"];

describe("the paths that a patch writes", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["a change", ["--- a/src/x.js", "+++ b/src/x.js", ...HUNK], ["src/x.js"]],
    ["a new file", ["--- /dev/null", "+++ b/new", "@@ -0,0 +1 @@", "+b"], ["new"]],
    ["a deleted file", ["--- a/old", "+++ /dev/null", "@@ -1 +0,0 @@", "-b"], ["old"]],
    ["headers that end in carriage returns", ["--- a/x\r", "+++ b/x\r", ...HUNK], ["x"]],
    ["a time stamp", ["--- a/x\t2026-01-01", "+++ b/x\t2026-01-01", ...HUNK], ["x"]],
    ["two files", ["--- a/x", "+++ b/x", ...HUNK, "--- a/y", "+++ b/y", ...HUNK], ["x", "y"]],
    ["a mode change", ["diff --git a/run b/run", "old mode 100644", "new mode 100755"], ["run"]],
    ["a quoted name", ['--- "a/x\\303\\251"', '+++ "b/x\\303\\251"', ...HUNK], ["xé"]],
    ["a rename", ["diff --git a/x b/y", "similarity index 100%", "rename from x", "rename to y"], ["x", "y"]],
    [
      "a missing newline",
      [
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "-a",
        "\\ No newline at end of file",
        "+b",
        "\\ No newline at end of file",
      ],
      ["x"],
    ],
    [
      "deleted and added lines that look like headers",
      ["--- a/x.sql", "+++ b/x.sql", "@@ -1,2 +1,2 @@", "--- a/secret", "+++ b/secret", " c"],
      ["x.sql"],
    ],
    ["an empty context line", ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "", "-a", "+b"], ["x"]],
  ])("of %s are all found", (_name, lines, paths) => {
    expect(writtenBy(lines)).toEqual(paths);
  });

  test.each<[string, readonly string[]]>([
    ["no header", HUNK],
    ["no prefix", ["--- src/x.js", "+++ src/x.js", ...HUNK]],
    ["two names that are no rename", ["--- a/x", "+++ b/y", ...HUNK]],
    ["a copy", ["diff --git a/x b/y", "similarity index 100%", "copy from x", "copy to y"]],
    [
      "a link",
      ["diff --git a/x b/x", "new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+y"],
    ],
    [
      "a submodule",
      ["diff --git a/x b/x", "new file mode 160000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+y"],
    ],
    ["headers that name different files", ["diff --git a/x b/x", "--- a/y", "+++ b/y", ...HUNK]],
    ["an ambiguous git header", ["diff --git a/x b/y b/z", "old mode 100644", "new mode 100755"]],
    ["prose before the diff", ["Here is the patch:", "--- a/x", "+++ b/x", ...HUNK]],
    ["another patch language", ["*** Begin Patch", "*** Update File: x", "*** End Patch"]],
    ["a hunk that is cut", ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "-a"]],
    ["a hunk longer than its counts", ["--- a/x", "+++ b/x", ...HUNK, " c"]],
    ["counts that the hunk oversteps", ["--- a/x", "+++ b/x", "@@ -1,0 +1 @@", "-a", "+b"]],
    ["a header that other tools read as a name", ["Index: x", "--- a/y", "+++ b/y", ...HUNK]],
    ["binary data", ["diff --git a/x b/x", "GIT binary patch", "literal 1"]],
  ])("are the whole workspace for %s", (_name, lines) => {
    expect(writtenBy(lines)).toBe("whole workspace");
  });
});
