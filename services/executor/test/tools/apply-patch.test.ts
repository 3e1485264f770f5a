import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolFixture } from "./tool-fixture.ts";

const FILES = { "a.txt": "one\ntwo\nthree\n", "b.txt": "alpha\nbeta\n" };
const EDIT = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
const NEW = "--- /dev/null\n+++ b/new/c.txt\n@@ -0,0 +1 @@\n+made\n";

describe("what fits", () => {
  test.each([
    ["an edit", EDIT, { "a.txt": "one\n2\nthree\n", "b.txt": FILES["b.txt"] }],
    [
      "an edit with git's headers",
      `diff --git a/a.txt b/a.txt\nindex 1..2 100644\n`.replace("1..2", "aa..bb") + EDIT,
      { "a.txt": "one\n2\nthree\n", "b.txt": FILES["b.txt"] },
    ],
    ["a new file in a new folder", NEW, { ...FILES, new: "(not a file)", "new/c.txt": "made\n" }],
    [
      "a deletion",
      "--- a/b.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-alpha\n-beta\n",
      { "a.txt": FILES["a.txt"] },
    ],
    [
      "a rename with an edit",
      "diff --git a/a.txt b/d.txt\nsimilarity index 60%\nrename from a.txt\nrename to d.txt\n--- a/a.txt\n+++ b/d.txt\n@@ -1 +1 @@\n-one\n+1\n",
      { "b.txt": FILES["b.txt"], "d.txt": "1\ntwo\nthree\n" },
    ],
    [
      "a deleted line that looks like a header",
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n+-- a/.git/config\n two\n three\n",
      { "a.txt": "one\n-- a/.git/config\ntwo\nthree\n", "b.txt": FILES["b.txt"] },
    ],
    [
      "an added line that looks like git's own",
      "--- a/a.txt\n+++ b/a.txt\n@@ -3 +3,2 @@\n three\n+diff --git a/x b/.git/config\n",
      { "a.txt": "one\ntwo\nthree\ndiff --git a/x b/.git/config\n", "b.txt": FILES["b.txt"] },
    ],
    [
      "a hunk that has moved",
      "--- a/a.txt\n+++ b/a.txt\n@@ -7,2 +7,1 @@\n two\n-three\n",
      { "a.txt": "one\ntwo\n", "b.txt": FILES["b.txt"] },
    ],
    [
      "a file that loses its last newline",
      "--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n alpha\n-beta\n+beta\n\\ No newline at end of file\n",
      { ...FILES, "b.txt": "alpha\nbeta" },
    ],
    [
      "several files",
      EDIT + NEW,
      { "a.txt": "one\n2\nthree\n", "b.txt": FILES["b.txt"], new: "(not a file)", "new/c.txt": "made\n" },
    ],
  ])("applies %s", async (_, patch, expected) => {
    const { call, snapshot } = await toolFixture(FILES);
    expect(await call("apply_patch", { patch })).toMatchObject({ status: "ok", errorClass: null });
    expect(await snapshot()).toEqual(expected);
  });

  test("deletes a line that then looks like a header", async () => {
    const { call, snapshot } = await toolFixture({ "q.sql": "select 1\n-- a/.git/config\n++ b/x\n" });
    const patch = "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,1 @@\n select 1\n--- a/.git/config\n-++ b/x\n";
    expect(await call("apply_patch", { patch })).toMatchObject({ status: "ok" });
    expect(await snapshot()).toEqual({ "q.sql": "select 1\n" });
  });

  test("marks what a trusted tool may obey later", async () => {
    const { call } = await toolFixture({ "package.json": "a\n" });
    const paths = [
      ".gitattributes",
      ".github/workflows/ci.yml",
      ".HUSKY/x",
      "sub/.npmrc",
      ".claude/x",
      ".mcp.json",
    ];
    const patch = [...paths, "src/a", ".github/x"].map(created).join("");
    expect(await call("apply_patch", { patch })).toMatchObject({
      content: {
        files: [
          ...paths.map((path) => ({ path, touchesTrustedConfig: true })),
          { path: "src/a", touchesTrustedConfig: false },
          { path: ".github/x", touchesTrustedConfig: false },
        ],
      },
    });
  });

  test("reports each file's size and digest before and after", async () => {
    const { call } = await toolFixture({ "a.txt": "one\n" });
    const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
    expect(await call("apply_patch", { patch })).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        files: [
          {
            path: "a.txt",
            before: {
              type: "file",
              sizeBytes: 4,
              sha256: "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806",
            },
            after: {
              type: "file",
              sizeBytes: 4,
              sha256: "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a",
            },
            touchesTrustedConfig: false,
          },
        ],
      },
    });
  });

  test("keeps CRLF endings, and sets the executable bit that the patch names", async () => {
    const { call, snapshot, tree } = await toolFixture({ "a.txt": "one\r\ntwo\r\n", run: "x\n" });
    const mode = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
    const patch = `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n${mode}`;
    expect(await call("apply_patch", { patch })).toMatchObject({ status: "ok" });
    expect(await snapshot()).toEqual({ "a.txt": "one\r\n2\r\n", run: "x\n" });
    expect(statSync(join(tree, "run")).mode & 0o777).toBe(0o755);
  });

  test("applies what git itself writes", async () => {
    const { call, snapshot, root } = await toolFixture(FILES);
    const repository = join(root, "repository");
    const script = `git init -q "$1" && cd "$1" && printf 'one\\ntwo\\nthree\\n' > a.txt && printf 'alpha\\nbeta\\n' > b.txt && git add -A
      printf 'one\\n2\\nthree\\nfour' > a.txt; rm b.txt; printf 'x\\n' > 'with space é.txt'; git add -N 'with space é.txt' && git diff`;
    const env = { PATH: "/usr/bin:/bin", HOME: root };
    const patch = execFileSync("bash", ["-ec", script, "bash", repository], { env, encoding: "utf8" });
    expect(await call("apply_patch", { patch })).toMatchObject({ status: "ok" });
    expect(await snapshot()).toEqual({ "a.txt": "one\n2\nthree\nfour", "with space é.txt": "x\n" });
  });
});

const git = (path: string, rest: string) => `diff --git a/${path} b/${path}\n${rest}`;
const created = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;

describe("what is refused leaves the tree as it was", () => {
  test.each([
    ["an empty text", "\n"],
    ["prose", "Here is the patch:\n" + EDIT],
    ["a code fence", "```diff\n" + EDIT + "```\n"],
    ["another patch format", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n"],
    ["a climbing path", created("../outside/x")],
    ["a climbing path in the middle", created("x/../../outside/x")],
    ["an absolute path", "--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+x\n"],
    ["an absolute path behind the prefix", created("/etc/x")],
    ["a path without its prefix", "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"],
    ["the git dir", created(".git/hooks/post-checkout")],
    ["the git dir in capitals", created(".GIT/config")],
    ["a nested git dir", created("sub/.git/config")],
    [".gitmodules", created(".gitmodules")],
    ["a trailing dot on the git dir", created(".git./config")],
    ["the git dir's short name", created("GIT~1/config")],
    ["the git dir with an invisible character", created(".g\u200cit/config")],
    ["the git dir in wide letters", created(".\uff47it/config")],
    ["an octal name of the git dir", '--- /dev/null\n+++ "b/\\056git/config"\n@@ -0,0 +1 @@\n+x\n'],
    ["a name with a newline", '--- /dev/null\n+++ "b/x\\ny"\n@@ -0,0 +1 @@\n+x\n'],
    [
      "a new link",
      git(
        "link",
        "new file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
      ),
    ],
    ["a file that becomes a link", git("a.txt", "old mode 100644\nnew mode 120000\n") + EDIT],
    [
      "a submodule",
      git("sub", "new file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 0123\n"),
    ],
    [
      "a new link and a file written through it",
      git("out", "new file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+../outside\n") +
        created("out/x"),
    ],
    ["a file that becomes a submodule", git("a.txt", "old mode 100644\nnew mode 160000\n") + EDIT],
    [
      "a link that is deleted by its text",
      git("a.txt", "deleted file mode 120000\n--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"),
    ],
    ["a device", git("dev", "new file mode 020666\n--- /dev/null\n+++ b/dev\n@@ -0,0 +1 @@\n+x\n")],
    ["a setuid mode", git("a.txt", "old mode 100644\nnew mode 104755\n")],
    [
      "a copy of any file",
      "diff --git a/etc/passwd b/x\nsimilarity index 100%\ncopy from /etc/passwd\ncopy to x\n",
    ],
    [
      "a copy within the tree",
      "diff --git a/a.txt b/c.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to c.txt\n",
    ],
    ["a rename into the git dir", "diff --git a/a.txt b/.git/x\nrename from a.txt\nrename to .git/x\n"],
    ["a quoted name that climbs", '--- /dev/null\n+++ "b/\\056\\056/outside/x"\n@@ -0,0 +1 @@\n+x\n'],
    ["a quoted absolute name", '--- /dev/null\n+++ "/etc/x"\n@@ -0,0 +1 @@\n+x\n'],
    ["a rename out", "diff --git a/a.txt b/../x\nsimilarity index 100%\nrename from a.txt\nrename to ../x\n"],
    [
      "a rename in",
      "diff --git a/../outside/secret b/x\nsimilarity index 100%\nrename from ../outside/secret\nrename to x\n",
    ],
    ["a deletion out", "--- a/../outside/secret\n+++ /dev/null\n@@ -1 +0,0 @@\n-secret\n"],
    ["a binary change", git("a.txt", "index aa..bb 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n")],
    ["a binary notice", git("a.txt", "index aa..bb 100644\nBinary files a/a.txt and b/a.txt differ\n")],
    ["headers that name two files", "diff --git a/a.txt b/a.txt\n" + created("other.txt")],
    [
      "a safe first line over another file",
      "diff --git a/safe b/safe\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-alpha\n+x\n",
    ],
    ["two names without a rename", "--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+x\n"],
    [
      "a rename whose lines disagree",
      "diff --git a/a.txt b/d.txt\nrename from b.txt\nrename to d.txt\n--- a/a.txt\n+++ b/d.txt\n@@ -1 +1 @@\n-one\n+1\n",
    ],
    ["fewer lines than counted", "--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n"],
    ["more lines than counted", "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n one\n-two\n+2\n"],
    ["a hunk without numbers", "--- a/a.txt\n+++ b/a.txt\n@@\n-two\n+2\n"],
    ["a hunk of no file", "@@ -1 +1 @@\n-one\n+1\n"],
    ["context that doesn't match", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n One\n-two\n+2\n"],
    ["a file that is absent", "--- a/absent\n+++ b/absent\n@@ -1 +1 @@\n-x\n+y\n"],
    ["a new file that exists", created("a.txt")],
    ["a deletion of half a file", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"],
    ["one file twice", EDIT + EDIT],
    ["a file and something below it", created("x") + created("x/y")],
    ["a file below a file", created("a.txt/x")],
    ["a good file before a bad one", EDIT + NEW + created("../x")],
    [
      "a good file before one that doesn't fit",
      EDIT + NEW + "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-gamma\n+x\n",
    ],
    ["100 MB", "--- /dev/null\n+++ b/big\n@@ -0,0 +1,50000000 @@\n" + "+\n".repeat(50_000_000)],
    ["2 MiB", "--- /dev/null\n+++ b/big\n@@ -0,0 +1 @@\n+" + "x".repeat(2 * 2 ** 20) + "\n"],
    ["a header hidden after a hunk", EDIT + "new file mode 120000\n"],
  ])("%s", async (_, patch) => {
    const { call, snapshot, outside } = await toolFixture(FILES);
    writeFileSync(join(outside, "secret"), "secret\n");
    expect(await call("apply_patch", { patch })).toMatchObject({
      status: "refused",
      errorClass: "PATCH_REFUSED",
    });
    expect(await snapshot()).toEqual(FILES);
  });

  test("a patch through a link, of a link, or of a second hard link", async () => {
    const { call, tree, outside, snapshot } = await toolFixture();
    writeFileSync(join(outside, "secret"), "one\n");
    symlinkSync(outside, join(tree, "dir"));
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    linkSync(join(outside, "secret"), join(tree, "hard"));
    const before = await snapshot();
    for (const path of ["dir/secret", "link", "hard"]) {
      const patch = `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-one\n+two\n`;
      expect(await call("apply_patch", { patch })).toMatchObject({ status: "refused" });
    }
    expect(await call("apply_patch", { patch: created("dir/new") })).toMatchObject({ status: "refused" });
    expect(await snapshot()).toEqual(before);
  });

  test("a call whose fence no longer holds", async () => {
    const { call, snapshot } = await toolFixture(FILES);
    const lost = await call("apply_patch", { patch: EDIT }, { fenceHolds: () => Promise.resolve(false) });
    expect(lost).toMatchObject({ status: "refused", errorClass: "CLAIM_LOST" });
    expect(await snapshot()).toEqual(FILES);
  });

  test("a tree that changes under the plan: what was written is taken back", async () => {
    const { call, snapshot, tree } = await toolFixture({ ...FILES, dir: "x\n" });
    chmodSync(join(tree, "a.txt"), 0o755);
    const fenceHolds = () => {
      execFileSync("bash", ["-c", `rm ${tree}/b.txt && mkdir ${tree}/b.txt`]);
      return Promise.resolve(true);
    };
    const patch = `${EDIT}${NEW}--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-alpha\n+x\n`;
    expect(await call("apply_patch", { patch }, { fenceHolds })).toMatchObject({ status: "refused" });
    expect(await snapshot()).toMatchObject({ "a.txt": FILES["a.txt"], new: "(not a file)", dir: "x\n" });
    expect(statSync(join(tree, "a.txt")).mode & 0o777).toBe(0o755);
  });
});
