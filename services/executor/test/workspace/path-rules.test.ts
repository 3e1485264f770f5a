import { describe, expect, test } from "vitest";
import { parseWorkspacePath } from "../../src/workspace/path-rules.ts";

describe("parseWorkspacePath", () => {
  test.each([
    ["src/a.ts", ["src", "a.ts"]],
    ["./src//a.ts/", ["src", "a.ts"]],
    [".", []],
    ["-rf", ["-rf"]],
    ["--help/@file", ["--help", "@file"]],
    [".github/workflows/ci.yml", [".github", "workflows", "ci.yml"]],
    ["git/.gitignore", ["git", ".gitignore"]],
    ["...", ["..."]],
  ])("accepts %j", (path, components) => {
    expect(parseWorkspacePath(path, "write")).toEqual({ ok: true, components });
  });

  test.each([
    "../x",
    "a/../../x",
    "a/./../b",
    "/etc/passwd",
    "a\0b",
    `${"x".repeat(256)}/a`,
    "a/".repeat(65),
    "abc/".repeat(1250),
    "\ud800",
    ".git",
    ".git/config",
    "sub/.git/hooks/x",
    ".GIT/x",
    ".git./x",
    ".git /x",
    "g\u200cit~1",
    ".g\u200cit/config",
    "\uff0egit/config",
    "git~1/config",
    ".gitmodules",
  ])("refuses to write %j", (path) => {
    expect(parseWorkspacePath(path, "write")).toMatchObject({ ok: false, errorClass: "PATH_REFUSED" });
  });

  test("lets .gitmodules be read, and .git not", () => {
    expect(parseWorkspacePath(".gitmodules", "read").ok).toBe(true);
    expect(parseWorkspacePath(".git/config", "read").ok).toBe(false);
  });
});
