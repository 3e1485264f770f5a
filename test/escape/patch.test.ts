import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { grantedCalls } from "./batch.ts";

const place = inject("executor");

const created = (at: string, text = "x"): string => `--- /dev/null\n+++ b/${at}\n@@ -0,0 +1 @@\n+${text}\n`;
const headed = (at: string, rest: string): string => `diff --git a/${at} b/${at}\n${rest}`;
const EDIT = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

const HOSTILE: Readonly<Record<string, string>> = {
  "a climbing path": created("../x"),
  "a climb in the middle": created("dir/../../x"),
  "an absolute path": "--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+x\n",
  "an absolute path behind the prefix": created("/etc/x"),
  "the git dir": created(".git/hooks/post-checkout"),
  "the git dir in capitals": created(".GIT/config"),
  "a nested git dir": created("sub/.git/config"),
  submodules: created(".gitmodules"),
  "an octal name of the git dir": '--- /dev/null\n+++ "b/\\056git/config"\n@@ -0,0 +1 @@\n+x\n',
  "a name with a newline": '--- /dev/null\n+++ "b/x\\ny"\n@@ -0,0 +1 @@\n+x\n',
  "through a link to a folder": created("parent/new"),
  "of a file beyond a link": "--- a/parent/f\n+++ b/parent/f\n@@ -1 +1 @@\n-x\n+y\n",
  "of a link itself": "--- a/leaf\n+++ b/leaf\n@@ -1 +1 @@\n-x\n+y\n",
  "a new link": headed(
    "link",
    "new file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
  ),
  "a link, and then a file below it":
    headed(
      "l",
      "new file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\n",
    ) + created("l/x"),
  "a file that becomes a link": headed("a.txt", "old mode 100644\nnew mode 120000\n") + EDIT,
  "a submodule": headed(
    "sub",
    "new file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 0123\n",
  ),
  "a setuid mode": headed("a.txt", "old mode 100644\nnew mode 104755\n"),
  "a copy of any file":
    "diff --git a/etc/passwd b/x\nsimilarity index 100%\ncopy from /etc/passwd\ncopy to x\n",
  "a copy of a neighbour":
    "diff --git a/../secret b/x\nsimilarity index 100%\ncopy from ../../../secret\ncopy to x\n",
  "a rename out": "diff --git a/a.txt b/../x\nsimilarity index 100%\nrename from a.txt\nrename to ../x\n",
  "a rename in": "diff --git a/../s b/x\nsimilarity index 100%\nrename from ../s\nrename to x\n",
  "a deletion out": "--- a/../../../secret\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
  "headers that name two files": "diff --git a/a.txt b/a.txt\n" + created("other.txt"),
  "counts that lie": "--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n",
  "a header hidden after a hunk": EDIT + "new file mode 120000\n",
  "a good file before a bad one": EDIT + created("../x"),
  "1 MB": created("big", "x".repeat(1_000_000)),
};

function namesIn(tree: string): readonly string[] {
  return readdirSync(tree, { recursive: true, encoding: "utf8" }).toSorted();
}

test("no patch reaches out of the tree, and none leaves half of itself", async () => {
  const run = await grantedCalls().run();
  const outside = path.join(place.volume, `${run.run}-outside`);
  execFileSync("bash", ["-c", `mkdir -m 0777 "$1" && echo x > "$1/f" && chmod 666 "$1/f"`, "bash", outside]);
  await run.bash(
    `printf 'one\\ntwo\\n' > a.txt; ln -s ${outside} parent; ln -s ${outside}/f leaf; mkdir dir`,
  );
  const before = namesIn(run.tree);
  const applied: string[] = [];
  for (const [name, patch] of Object.entries(HOSTILE)) {
    const { state, result } = await run.call("apply_patch", { patch });
    if (state !== "DENIED" && result["status"] !== "refused") applied.push(name);
  }
  expect(applied.filter((name) => name !== "1 MB")).toEqual([]);
  expect(namesIn(run.tree).filter((name) => name !== "big")).toEqual(before);
  expect(readFileSync(path.join(run.tree, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect(readlinkSync(path.join(run.tree, "leaf"))).toBe(`${outside}/f`);
  expect([readdirSync(outside), readFileSync(`${outside}/f`, "utf8")]).toEqual([["f"], "x\n"]);
  expect(statSync(path.join(run.tree, "a.txt")).mode & 0o6000).toBe(0);
});

test("a patch of more bytes than arguments may have is refused unread", async () => {
  const run = await grantedCalls().run();
  const before = namesIn(run.tree);
  for (const megabytes of [2, 100]) {
    const end = await run.call("apply_patch", { patch: created("big", "x".repeat(megabytes * 1_000_000)) });
    expect([megabytes, end.state, namesIn(run.tree)]).toEqual([megabytes, "DENIED", before]);
  }
});

test("lines that look like headers are lines", async () => {
  const run = await grantedCalls().run();
  await run.bash(`printf 'one\\n-- old\\n++ other\\n' > a.txt`);
  const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n--- old\n-++ other\n+++ new\n";
  expect(await run.call("apply_patch", { patch })).toMatchObject({ result: { status: "ok" } });
  expect(readFileSync(path.join(run.tree, "a.txt"), "utf8")).toBe("one\n++ new\n");
});
