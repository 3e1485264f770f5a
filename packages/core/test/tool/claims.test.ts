import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import type { JsonObject } from "@airlock/core/json";
import {
  BUILTIN_MANIFESTS,
  CHECK_FILES,
  CHECK_PATCH,
  claimsConflict,
  createCatalog,
  normalizeWorkspacePath,
  OWN_TOOLS,
  resourceClaims,
  type ResourceClaims,
} from "@airlock/core/tool";

const catalog = createCatalog(BUILTIN_MANIFESTS);

function claimsOf(tool: string, args: JsonObject): ResourceClaims {
  const manifest = catalog.get(tool);
  if (manifest === undefined) throw new Error(`no manifest for ${tool}`);
  return resourceClaims(manifest, args);
}

function claim(part: Partial<ResourceClaims>): ResourceClaims {
  return { reads: [], writes: [], workspace: "none", ...part };
}

describe("a workspace path", () => {
  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//./a.ts", "src/a.ts"],
    ["src/", "src"],
    [".", "."],
    ["./", "."],
    ["e\u0301.txt", "\u00e9.txt"],
    ["a..b/...", "a..b/..."],
    ["", null],
    ["/etc/passwd", null],
    ["..", null],
    ["src/../../x", null],
    ["src\\..\\x", null],
    ["a\u0000b", null],
    ["a\nb", null],
    ["a\u200bb", null],
    ["a\u202eb", null],
    ["a".repeat(4_097), null],
    [`${"a/".repeat(128)}a`, null],
  ])("%j is taken as %j", (path, normal) => {
    expect(normalizeWorkspacePath(path)).toBe(normal);
  });

  test("stays the same when it is normalised again", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", ".", "/", "e\u0301") }), (path) => {
        const once = normalizeWorkspacePath(path);
        expect(once === null ? null : normalizeWorkspacePath(once)).toBe(once);
      }),
    );
  });
});

describe("the claims of a check", () => {
  test.each<[JsonObject, Partial<ResourceClaims>]>([
    [{ files: [{ path: "dist/x.js" }, { path: "./a", minBytes: 1 }] }, { reads: ["dist/x.js", "a"] }],
    [{ files: [{ path: "../x" }] }, { workspace: "read" }],
    [{ files: [{ path: 1 }, { path: "a" }] }, { workspace: "read" }],
    [{ files: [] }, { workspace: "read" }],
    [{ files: { path: "a" } }, { workspace: "read" }],
  ])("%j", (args, expected) => {
    expect(resourceClaims(CHECK_FILES, args)).toEqual(claim(expected));
  });

  test("of a patch are what it would write, so that policy's scope decides on it", () => {
    const patch = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n";
    expect(resourceClaims(CHECK_PATCH, { patch })).toEqual(claim({ writes: ["x.ts"] }));
  });
});

test("a tool of the validator's own has a name that no catalog takes, so that no model can ask for it", () => {
  for (const manifest of OWN_TOOLS.values()) {
    expect(() => createCatalog([manifest])).toThrow(/is no tool name/);
  }
});

describe("the claims of a call", () => {
  test.each<[string, JsonObject, Partial<ResourceClaims>]>([
    ["read_file", { path: "./a.ts" }, { reads: ["a.ts"] }],
    ["list_files", { path: "." }, { reads: ["."] }],
    ["write_file", { path: "src//a.ts", content: "" }, { writes: ["src/a.ts"] }],
    ["read_file", { path: "../a.ts" }, { workspace: "read" }],
    ["read_file", {}, { workspace: "read" }],
    ["write_file", { path: "/etc/passwd", content: "" }, { workspace: "write" }],
    ["write_file", { path: ["a"], content: "" }, { workspace: "write" }],
    ["run_command", { argv: ["ls"] }, { workspace: "write" }],
    ["apply_patch", { patch: "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n" }, { writes: ["x.ts"] }],
    ["apply_patch", { patch: "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n" }, { workspace: "write" }],
    ["apply_patch", { patch: "--- a/../x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n" }, { workspace: "write" }],
    ["apply_patch", { patch: "not a patch" }, { workspace: "write" }],
    ["search_files", { path: "src", pattern: "x" }, { reads: ["src"] }],
    ["edit_file", { path: "a", oldText: "x", newText: "y" }, { reads: ["a"], writes: ["a"] }],
    ["delete_file", { path: "a" }, { writes: ["a"] }],
    ["move_file", { from: "a", to: "d/b" }, { reads: ["a"], writes: ["a", "d/b"] }],
    ["move_file", { from: "a", to: "../b" }, { reads: ["a"], writes: ["a"], workspace: "write" }],
    ["git_status", {}, { workspace: "read" }],
    ["git_diff", { path: "src" }, { reads: ["src"], workspace: "read" }],
    ["git_commit", { message: "x" }, { workspace: "write" }],
    ["git_push", { branch: "x" }, { workspace: "write" }],
  ])("%s %j", (tool, args, expected) => {
    expect(claimsOf(tool, args)).toEqual(claim(expected));
  });

  test("come from own arguments only", () => {
    const inherited: JsonObject = Object.create({ path: "a.ts" });
    expect(claimsOf("read_file", inherited)).toEqual(claim({ workspace: "read" }));
  });
});

describe("two claims", () => {
  test.each<[string, readonly [Partial<ResourceClaims>, Partial<ResourceClaims>], boolean]>([
    ["two reads of one file", [{ reads: ["a"] }, { reads: ["a"] }], false],
    ["a read and a write of one file", [{ reads: ["a"] }, { writes: ["a"] }], true],
    ["two writes of one file", [{ writes: ["a"] }, { writes: ["a"] }], true],
    ["writes of two files", [{ writes: ["a"] }, { writes: ["b"] }], false],
    ["a listing above a write", [{ reads: ["src"] }, { writes: ["src/a/b"] }], true],
    ["a listing of the root and a write", [{ reads: ["."] }, { writes: ["a"] }], true],
    ["names of which one begins like the other", [{ reads: ["work"] }, { writes: ["work-evil/a"] }], false],
    ["a whole-workspace write and a read", [{ workspace: "write" }, { reads: ["a"] }], true],
    ["a whole-workspace read and a write", [{ workspace: "read" }, { writes: ["a"] }], true],
    ["whole-workspace reads", [{ workspace: "read" }, { workspace: "read" }], false],
    ["whole-workspace writes", [{ workspace: "write" }, { workspace: "write" }], true],
    ["a whole-workspace write and nothing", [{ workspace: "write" }, {}], false],
  ])("%s: conflict is told in both orders", (_name, [left, right], conflict) => {
    expect([claimsConflict(claim(left), claim(right)), claimsConflict(claim(right), claim(left))]).toEqual([
      conflict,
      conflict,
    ]);
  });
});
