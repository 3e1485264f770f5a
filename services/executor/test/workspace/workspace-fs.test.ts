import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { lstat, readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SERVICE_USER, treeFixture, type TreeFixture } from "./fixture.ts";

const MAX = { maxBytes: 1024 };
const LIST = { depth: 3, maxEntries: 100 };
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** For a second, a program of the agent's swaps the folder `d` with a link to outside, over and over. */
function swapFolder(tree: string, outside: string) {
  const swap = `const fs = require("node:fs"); const end = Date.now() + 1000;
    while (Date.now() < end) {
      try { fs.renameSync("d", "e"); fs.symlinkSync(${JSON.stringify(outside)}, "d"); fs.unlinkSync("d"); fs.renameSync("e", "d"); } catch { fs.rmSync("e", { recursive: true, force: true }); }
    }`;
  const attacker = spawn(process.execPath, ["-e", swap], { cwd: tree, stdio: "ignore" });
  return { gone: once(attacker, "exit"), running: () => attacker.exitCode === null };
}

/** Plants what an agent could have left, reaching for `outside/secret`. */
const TRAPS: Readonly<Record<string, (fixture: TreeFixture) => string>> = {
  "a link to a file outside": ({ tree, outside }) => {
    symlinkSync(join(outside, "secret"), join(tree, "trap"));
    return "trap";
  },
  "a linked parent": ({ tree, outside }) => {
    symlinkSync(outside, join(tree, "dir"));
    return "dir/secret";
  },
  "a chain of links": ({ tree, outside }) => {
    symlinkSync(outside, join(tree, "one"));
    symlinkSync("one", join(tree, "two"));
    return "two/secret";
  },
  "a FIFO": ({ tree }) => {
    execFileSync("mkfifo", [join(tree, "pipe")]);
    return "pipe";
  },
  "a directory": ({ tree }) => {
    mkdirSync(join(tree, "dir"));
    return "dir";
  },
  "a file as a directory": ({ tree }) => {
    writeFileSync(join(tree, "file"), "x");
    return "file/below";
  },
  "a second hard link": ({ tree, outside }) => {
    linkSync(join(outside, "secret"), join(tree, "hard"));
    return "hard";
  },
  "a sparse file of 50 GiB": ({ tree }) => {
    writeFileSync(join(tree, "huge"), "");
    truncateSync(join(tree, "huge"), 50 * 2 ** 30);
    return "huge";
  },
  "a link to /dev/zero": ({ tree }) => {
    symlinkSync("/dev/zero", join(tree, "zero"));
    return "zero";
  },
  "the git dir": () => ".git/config",
  "a climbing path": () => "../outside/secret",
  "an absolute path": ({ outside }) => join(outside, "secret"),
  "an absent file": () => "absent/file",
};

/** What a write may do although a read is refused: it makes a new file under the name and follows nothing. */
const WRITABLE = new Set([
  "a link to a file outside",
  "a second hard link",
  "a sparse file of 50 GiB",
  "a link to /dev/zero",
  "an absent file",
]);

async function planted(trap: (fixture: TreeFixture) => string) {
  const fixture = await treeFixture();
  writeFileSync(join(fixture.outside, "secret"), "secret");
  return { ...fixture, path: trap(fixture) };
}

describe("readFile", () => {
  test.each(Object.entries(TRAPS))("refuses %s, at once", async (_, trap) => {
    const { files, path } = await planted(trap);
    expect(await files.readFile(path, MAX)).toMatchObject({ ok: false, errorClass: "PATH_REFUSED" });
  });

  test("returns the bytes and the executable bit", async () => {
    const { files, tree } = await treeFixture();
    writeFileSync(join(tree, "run"), "#!", { mode: 0o755 });
    const read = await files.readFile("run", MAX);
    expect(read).toEqual({ ok: true, bytes: Buffer.from("#!"), executable: true });
  });
});

describe("moveFile", () => {
  test("moves a plain file, and overwrites nothing that came to be at its new place", async () => {
    const { files, tree } = await treeFixture();
    writeFileSync(join(tree, "a"), "one");
    writeFileSync(join(tree, "b"), "two");
    expect(await files.moveFile("a", "b")).toMatchObject({ ok: false, errorClass: "PATH_REFUSED" });
    expect(await files.moveFile("a", "d/c")).toMatchObject({
      ok: true,
      from: { before: { size: 3 }, after: null },
      to: { before: null, after: { size: 3 } },
    });
    expect([readFileSync(join(tree, "b"), "utf8"), readFileSync(join(tree, "d/c"), "utf8")]).toEqual([
      "two",
      "one",
    ]);
  });

  test("goes through no link, moves no link, folder or FIFO, and names nothing protected", async () => {
    const { files, tree, outside } = await treeFixture();
    writeFileSync(join(tree, "a"), "one");
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(tree, "away"));
    symlinkSync("a", join(tree, "link"));
    mkdirSync(join(tree, "folder"));
    execFileSync("mkfifo", [join(tree, "fifo")]);
    const refused = [
      ["a", "away/b"],
      ["away/secret", "b"],
      ["link", "b"],
      ["folder", "b"],
      ["fifo", "b"],
      ["a", ".git/hooks/x"],
      ["a", ".gitmodules"],
      ["a", "../b"],
      ["a", "a"],
      ["absent", "b"],
    ] as const;
    for (const [from, to] of refused) expect(await files.moveFile(from, to)).toMatchObject({ ok: false });
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(tree, "a"), "utf8")).toBe("one");
  });

  test("never escapes while its folder is swapped with a link to outside", async () => {
    const { files, tree, outside } = await treeFixture();
    mkdirSync(join(tree, "d"));
    writeFileSync(join(outside, "secret"), "x");
    const { gone, running } = swapFolder(tree, outside);
    const ends = { moved: false, refused: false };
    for (let round = 0; running(); round += 1) {
      writeFileSync(join(tree, "a"), "");
      const out = await files.moveFile("a", `d/${round}`);
      const inwards = await files.moveFile("d/secret", `stolen-${round}`);
      expect(inwards.ok).toBe(false);
      ends[out.ok ? "moved" : "refused"] = true;
    }
    await gone;
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(ends).toEqual({ moved: true, refused: true });
  });
});

describe("writeFile", () => {
  test.each(Object.entries(TRAPS))("never reaches outside through %s", async (name, trap) => {
    const { files, path, outside, tree } = await planted(trap);
    const written = await files.writeFile(path, text("changed"));
    expect({ ok: written.ok, secret: await readFile(join(outside, "secret"), "utf8") }).toEqual({
      ok: WRITABLE.has(name),
      secret: "secret",
    });
    expect(await readdir(outside)).toEqual(["secret"]);
    const leaf = await lstat(join(tree, path)).catch(() => null);
    expect(leaf?.isSymbolicLink() ?? false).toBe(false);
  });

  test("does not create through a dangling link", async () => {
    const { files, tree, outside } = await treeFixture();
    symlinkSync(join(outside, "new"), join(tree, "dangling"));
    symlinkSync(join(outside, "newdir"), join(tree, "dir"));
    expect((await files.writeFile("dangling", text("x"))).ok).toBe(true);
    expect((await files.writeFile("dir/x", text("x"))).ok).toBe(false);
    expect(await readdir(outside)).toEqual([]);
  });

  test("makes parents, gives all to the service user and reports both states", async () => {
    const { files, tree, root } = await treeFixture();
    const first = await files.writeFile("a/b/c.txt", text("one"));
    const second = await files.writeFile("a/b/c.txt", text("two!"));
    const one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    expect(first).toEqual({
      ok: true,
      before: null,
      after: { type: "file", size: 3, sha256: one, executable: false },
      touchesTrustedConfig: false,
    });
    expect(second).toMatchObject({
      before: { type: "file", size: 3, sha256: one, executable: false },
      after: { size: 4 },
    });
    const owner = SERVICE_USER ?? { uid: process.getuid?.(), gid: process.getgid?.() };
    for (const path of ["a", "a/b", "a/b/c.txt"]) {
      expect(await stat(join(tree, path))).toMatchObject(owner);
    }
    expect(await readdir(join(root, "tmp"))).toEqual([]);
  });

  test("keeps the executable bit and drops everything else of a mode", async () => {
    const { files, tree } = await treeFixture();
    writeFileSync(join(tree, "run"), "", { mode: 0o755 });
    execFileSync("chmod", ["4777", join(tree, "run")]);
    await files.writeFile("run", text("x"));
    await files.writeFile("plain", text("x"));
    expect((await stat(join(tree, "run"))).mode & 0o7777).toBe(0o755);
    expect((await stat(join(tree, "plain"))).mode & 0o7777).toBe(0o644);
  });

  test.each([".husky/pre-commit", ".github/workflows/ci.yml", "sub/.npmrc"])("flags %s", async (path) => {
    const { files } = await treeFixture();
    expect(await files.writeFile(path, text(""))).toMatchObject({ ok: true, touchesTrustedConfig: true });
  });

  test("never escapes while a directory is swapped with a link to outside", async () => {
    const { files, tree, outside } = await treeFixture();
    mkdirSync(join(tree, "d"));
    const { gone, running } = swapFolder(tree, outside);
    let written = 0;
    let refused = 0;
    while (running()) {
      const result = await files.writeFile("d/file", text("x"));
      if (result.ok) written += 1;
      else refused += 1;
    }
    await gone;
    expect(await readdir(outside)).toEqual([]);
    expect({ wrote: written > 0, refused: refused > 0 }).toEqual({ wrote: true, refused: true });
  });
});

describe("deleteFile", () => {
  test("removes a link and leaves what it points to", async () => {
    const { files, path, outside, tree } = await planted(TRAPS["a link to a file outside"] ?? (() => ""));
    expect(await files.deleteFile(path)).toMatchObject({
      ok: true,
      before: { type: "symlink" },
      after: null,
    });
    expect(await readdir(tree)).toEqual([]);
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
  });

  test("refuses what is absent, a directory, or beyond a link", async () => {
    const { files, tree, outside } = await treeFixture();
    mkdirSync(join(tree, "dir"));
    symlinkSync(outside, join(tree, "link"));
    writeFileSync(join(outside, "kept"), "");
    for (const path of ["absent", "dir", "link/kept"]) {
      expect(await files.deleteFile(path)).toMatchObject({ ok: false, errorClass: "PATH_REFUSED" });
    }
    expect(await readlink(join(tree, "link"))).toBe(outside);
    expect(await readdir(outside)).toEqual(["kept"]);
  });
});

describe("list", () => {
  test("shows types and sizes, hides the git dir, enters no link, escapes names", async () => {
    const { files, tree, outside } = await treeFixture();
    writeFileSync(join(outside, "secret"), "");
    mkdirSync(join(tree, "dir"));
    mkdirSync(join(tree, ".git"));
    writeFileSync(join(tree, "dir", "a.txt"), "abc");
    symlinkSync(outside, join(tree, "link"));
    writeFileSync(join(tree, "z\n\u001b[31m"), "");
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/y`), Buffer.from([0xff])]), "");
    expect(await files.list(".", LIST)).toEqual({
      ok: true,
      truncated: false,
      entries: [
        { path: "dir", type: "directory", size: 0 },
        { path: "dir/a.txt", type: "file", size: 3 },
        { path: "link", type: "symlink", size: 0 },
        { path: "y\\xff", type: "file", size: 0 },
        { path: "z\\x0a\\x1b[31m", type: "file", size: 0 },
      ],
    });
  });

  test("stops at its limits and says so", async () => {
    const { files, tree } = await treeFixture();
    for (let index = 0; index < 30; index += 1) writeFileSync(join(tree, `f${index}`), "");
    const listed = await files.list("", { depth: 1, maxEntries: 10 });
    expect(listed).toMatchObject({ ok: true, truncated: true });
    expect(listed.ok ? listed.entries.length : 0).toBe(10);
  });

  test("reads no more names than four listings hold, however many wide folders lie in each other", async () => {
    const { files, tree } = await treeFixture();
    const folders = Array.from({ length: 9 }, (_, depth) =>
      Array<string>(depth + 1)
        .fill("a")
        .join("/"),
    );
    for (const folder of ["", ...folders]) {
      mkdirSync(join(tree, folder), { recursive: true });
      for (let index = 0; index < 9; index += 1) writeFileSync(join(tree, folder, `f${index}`), "");
    }
    const listed = await files.list("", { depth: 16, maxEntries: 10 });
    const entered = listed.ok ? listed.entries.filter(({ type }) => type === "directory") : [];
    expect([listed.ok && listed.truncated, entered.map(({ path }) => path)]).toEqual([
      true,
      folders.slice(0, 4),
    ]);
    // Room for all of them is room to read all of them.
    expect(await files.list("", { depth: 16, maxEntries: 100 })).toMatchObject({
      ok: true,
      truncated: false,
    });
  });

  test.each(["link", "file", "absent", "..", ".git"])("refuses %s", async (path) => {
    const { files, tree, outside } = await treeFixture();
    symlinkSync(outside, join(tree, "link"));
    writeFileSync(join(tree, "file"), "");
    mkdirSync(join(tree, ".git"));
    expect(await files.list(path, LIST)).toMatchObject({ ok: false, errorClass: "PATH_REFUSED" });
  });
});
