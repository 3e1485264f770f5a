import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { replaceOnce } from "../../src/tools/edit-file.ts";
import { toolFixture } from "./tool-fixture.ts";

const lost = { fenceHolds: () => Promise.resolve(false) };

describe("edit_file", () => {
  const edit = (oldText: string, newText: string) => ({ path: "a.txt", oldText, newText });

  test("replaces the one passage, and says where it stands and what the file was and is", async () => {
    const { call, snapshot, tree } = await toolFixture({ "a.txt": "one\ntwo\nthree\n" });
    chmodSync(join(tree, "a.txt"), 0o755);
    expect(await call("edit_file", edit("two\n", "$& $1 \\2\n"))).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        path: "a.txt",
        line: 2,
        before: { type: "file", sizeBytes: 14, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        after: { type: "file", sizeBytes: 19, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        touchesTrustedConfig: false,
      },
    });
    expect(await snapshot()).toEqual({ "a.txt": "one\n$& $1 \\2\nthree\n" });
    expect(statSync(join(tree, "a.txt")).mode & 0o777).toBe(0o755);
  });

  test.each([
    [
      "stands there twice",
      edit("x", "y"),
      "the old text stands in the file 2 times, on lines 1, 3; add lines around it until it is unique",
    ],
    [
      "overlaps itself",
      edit("aa", "b"),
      "the old text stands in the file 2 times, on lines 2, 2; add lines around it until it is unique",
    ],
    [
      "is absent",
      edit("zzz", "y"),
      "the old text does not stand in the file; read it again and copy the passage exactly",
    ],
    [
      "differs in its margins",
      edit("  if y:\n  go()", "y"),
      "the old text does not stand in the file; near line 4 is one that differs in blanks at the margins of its lines only",
    ],
    ["is the new text", edit("aaa", "aaa"), "the new text is the old text"],
  ])("changes nothing where the passage %s", async (_, args, detail) => {
    const files = { "a.txt": "x\naaa\nx\nif y:\n\tgo()\n" };
    const { call, snapshot } = await toolFixture(files);
    expect(await call("edit_file", args)).toEqual({ status: "refused", errorClass: "TOOL_FAILED", detail });
    expect(await snapshot()).toEqual(files);
  });

  test("tells of the file's line ends, and counts no further than it has to", async () => {
    const { call } = await toolFixture({ "a.txt": "one\r\ntwo\r\n", "b.txt": "a".repeat(5000) });
    expect(await call("edit_file", edit("one\ntwo", "x"))).toMatchObject({
      detail: "the old text does not stand in the file: the file's lines end with \\r\\n",
    });
    expect(await call("edit_file", { path: "b.txt", oldText: "a", newText: "b" })).toMatchObject({
      detail: expect.stringContaining("more than 100 times, on lines 1, 1"),
    });
  });

  test("edits no binary file, no link, no second hard link, no protected file", async () => {
    const { call, tree, outside, snapshot } = await toolFixture();
    writeFileSync(join(outside, "secret"), "one\n");
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    symlinkSync(outside, join(tree, "dir"));
    linkSync(join(outside, "secret"), join(tree, "hard"));
    writeFileSync(join(tree, "binary"), Buffer.from([0x6f, 0x6e, 0x65, 0xff]));
    const before = await snapshot();
    for (const path of [
      "link",
      "dir/secret",
      "hard",
      "binary",
      ".git/config",
      "absent",
      "../outside/secret",
    ]) {
      const outcome = await call("edit_file", { path, oldText: "one", newText: "two" });
      expect(outcome).toMatchObject({ status: "refused" });
    }
    expect(await call("edit_file", { path: ".gitmodules", oldText: "a", newText: "b" })).toMatchObject({
      status: "refused",
    });
    expect(await snapshot()).toEqual(before);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("one\n");
  });

  test("is what a replacement by hand gives, for any text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$", "é"), maxLength: 30 });
    fc.assert(
      fc.property(
        text,
        text,
        text.filter((each) => each !== ""),
        text,
        (head, tail, oldText, newText) => {
          const whole = head + oldText + tail;
          const replaced = replaceOnce(whole, oldText, newText);
          const places = Array.from({ length: whole.length }, (_, at) => whole.startsWith(oldText, at));
          const times = places.filter(Boolean).length;
          expect(replaced.ok).toBe(times === 1 && oldText !== newText);
          if (replaced.ok) expect(replaced.text).toBe(head + newText + tail);
        },
      ),
    );
  });
});

describe("delete_file", () => {
  test("deletes the file, or the link and not what it leads to", async () => {
    const { call, tree, outside, snapshot } = await toolFixture({ a: "1", "dir/b": "2" });
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(join(outside, "secret"), join(tree, "link"));
    expect(await call("delete_file", { path: "a" })).toMatchObject({
      status: "ok",
      content: { path: "a", before: { sizeBytes: 1 }, after: null },
    });
    expect(await call("delete_file", { path: "link" })).toMatchObject({
      content: { before: { type: "symlink" } },
    });
    expect(await snapshot()).toEqual({ dir: "(not a file)", "dir/b": "2" });
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("x");
  });

  test.each([
    "absent",
    "dir",
    ".",
    "..",
    ".git",
    ".git/config",
    ".gitmodules",
    "away/secret",
    "no/such/folder",
  ])("refuses %j", async (path) => {
    const { call, tree, outside, snapshot } = await toolFixture({ "dir/b": "2" });
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(tree, "away"));
    const before = await snapshot();
    expect(await call("delete_file", { path })).toMatchObject({
      status: "refused",
      errorClass: "PATH_REFUSED",
    });
    expect(await snapshot()).toEqual(before);
  });

  test("deletes nothing once the fence is lost", async () => {
    const { call, snapshot } = await toolFixture({ a: "1" });
    expect(await call("delete_file", { path: "a" }, lost)).toMatchObject({ errorClass: "CLAIM_LOST" });
    expect(await snapshot()).toEqual({ a: "1" });
  });
});

describe("move_file", () => {
  test("moves the file into new folders with its bytes and its mode", async () => {
    const { call, snapshot, tree } = await toolFixture({ a: "1" });
    chmodSync(join(tree, "a"), 0o755);
    expect(await call("move_file", { from: "a", to: "x/.husky/b" })).toMatchObject({
      status: "ok",
      content: {
        files: [
          { path: "a", before: { sizeBytes: 1 }, after: null, touchesTrustedConfig: false },
          { path: "x/.husky/b", before: null, after: { sizeBytes: 1 }, touchesTrustedConfig: true },
        ],
      },
    });
    expect(await snapshot()).toMatchObject({ "x/.husky/b": "1" });
    expect(statSync(join(tree, "x/.husky/b")).mode & 0o777).toBe(0o755);
  });

  test.each([
    ["absent", "b"],
    ["a", "dir/b"],
    ["a", "dir"],
    ["a", "a"],
    ["dir", "b"],
    ["link", "b"],
    ["away/secret", "b"],
    ["a", "away/b"],
    ["a", "../b"],
    ["../outside/secret", "b"],
    ["a", "/tmp/b"],
    ["a", ".git/hooks/pre-commit"],
    ["a", "sub/.GIT/config"],
    ["a", ".gitmodules"],
    [".gitmodules", "b"],
    ["a", "dir/b/c"],
  ])("refuses %j to %j, and leaves both as they were", async (from, to) => {
    const { call, tree, outside, snapshot } = await toolFixture({ a: "1", "dir/b": "2", ".gitmodules": "m" });
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(tree, "away"));
    symlinkSync("a", join(tree, "link"));
    const before = await snapshot();
    expect(await call("move_file", { from, to })).toMatchObject({
      status: "refused",
      errorClass: "PATH_REFUSED",
    });
    expect(await snapshot()).toEqual(before);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("x");
  });

  test("there and back again is the same tree, whatever the bytes", async () => {
    const { call, tree } = await toolFixture();
    const file = join(tree, "a");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.boolean(), async (bytes, executable) => {
        writeFileSync(file, bytes);
        chmodSync(file, executable ? 0o755 : 0o644);
        expect(await call("move_file", { from: "a", to: "b/c" })).toMatchObject({ status: "ok" });
        expect([...readFileSync(join(tree, "b/c"))]).toEqual([...bytes]);
        expect(await call("move_file", { from: "b/c", to: "a" })).toMatchObject({ status: "ok" });
        expect([...readFileSync(file)]).toEqual([...bytes]);
        expect(statSync(file).mode & 0o777).toBe(executable ? 0o755 : 0o644);
      }),
      { numRuns: 20 },
    );
  });
});

/** Each: what is there, the call, and what an executor that dies in the middle could leave behind. */
const CRASHES = [
  ["write_file", { path: "a", content: "new" }, { a: "other" }],
  ["write_file", { path: "n/b", content: "new" }, { "n/b": "other" }],
  ["edit_file", { path: "a", oldText: "old", newText: "new" }, { a: "old and more" }],
  ["delete_file", { path: "a" }, { a: "other" }],
  ["move_file", { from: "a", to: "b" }, { b: "old" }],
  [
    "apply_patch",
    {
      patch:
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+x\n",
    },
    { a: "new\n" },
  ],
] as const;

describe("the probe of a call whose end nobody saw", () => {
  test.each(CRASHES)(
    "%s %j: not done before, done after, nobody's to say in between",
    async (tool, args, third) => {
      const { plan, probe, tree } = await toolFixture({ a: "old" });
      const ready = await plan(tool, args);
      expect(await probe(tool, ready)).toBe("not_done");
      for (const [path, text] of Object.entries(third)) {
        mkdirSync(join(tree, path, ".."), { recursive: true });
        writeFileSync(join(tree, path), text);
      }
      expect(await probe(tool, ready)).toBe("inconclusive");
      const done = await toolFixture({ a: "old" });
      const again = await done.plan(tool, args);
      expect(await again.run(AbortSignal.timeout(30_000))).toMatchObject({ status: "ok" });
      expect(await done.probe(tool, again)).toBe("done");
    },
  );

  test("tells a mode that was set from one that was not", async () => {
    const { plan, probe } = await toolFixture({ a: "old" });
    const ready = await plan("apply_patch", {
      patch: "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
    });
    expect(await probe("apply_patch", ready)).toBe("not_done");
    await ready.run(AbortSignal.timeout(30_000));
    expect(await probe("apply_patch", ready)).toBe("done");
  });

  test("says nothing of a path that became a link or a folder, and follows neither", async () => {
    const { plan, probe, tree, outside } = await toolFixture();
    const ready = await plan("write_file", { path: "d/f", content: "new" });
    writeFileSync(join(outside, "f"), "new");
    symlinkSync(outside, join(tree, "d"));
    expect(await probe("write_file", ready)).toBe("inconclusive");
    execFileSync("rm", [join(tree, "d")]);
    mkdirSync(join(tree, "d/f"), { recursive: true });
    expect(await probe("write_file", ready)).toBe("inconclusive");
  });

  test("is there for no command", async () => {
    const { plan, probe } = await toolFixture();
    expect(await probe("run_command", await plan("run_command", { argv: ["true"] }))).toBe(null);
  });
});
