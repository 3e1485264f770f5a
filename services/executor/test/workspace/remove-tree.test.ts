import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeTree } from "../../src/workspace/index.ts";
import { temporaryDirectory } from "./fixture.ts";

async function hostile(script: string) {
  const root = await temporaryDirectory();
  const outside = join(root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "kept"), "precious");
  const tree = join(root, "tree");
  mkdirSync(tree);
  execFileSync("bash", ["--norc", "-ec", script], { cwd: tree, env: { PATH: "/usr/bin:/bin" } });
  return { root, tree, outside };
}

test.each([
  [
    "links to outside, of files, folders and each other",
    `ln -s ../outside d; ln -s ../outside/kept f; ln -s e e; ln -s /etc x`,
  ],
  ["folders that nobody may enter or list", `mkdir -p a/b/c; touch a/b/c/f; chmod 000 a/b/c a/b a`],
  ["files that nobody may write", `mkdir a; touch a/f; chmod 000 a/f; chmod 555 a`],
  [
    "names with newlines, quotes, dots and bytes that are no text",
    `touch $'a\\nb' -- '-rf' '"' ' ' '...' $'\\xff\\xfe'; mkdir $'d\\n\\xff'; touch $'d\\n\\xff/x'`,
  ],
  [
    "FIFOs, sockets' names and second links to one file",
    `mkfifo p; mkdir d; mkfifo d/p; touch f; ln f g; ln ../outside/kept h`,
  ],
  [
    "a folder far deeper than a path may be long",
    `for i in $(seq 450); do mkdir dddddddddd; cd dddddddddd; done; touch f`,
  ],
  ["names that look like its own", `mkdir -p .removing-1/.removing-2; touch .removing-1/.removing-2/f`],
])("removes %s, and nothing beside them", async (_, script) => {
  const { root, tree, outside } = await hostile(script);
  await removeTree(tree);
  await removeTree(tree);
  expect(await readdir(root)).toEqual(["outside"]);
  expect(await readdir(outside)).toEqual(["kept"]);
  expect((await stat(join(outside, "kept"))).nlink).toBe(1);
});

test("removes twenty thousand files in wide and deep folders", async () => {
  const script = `for i in $(seq 20); do mkdir -p d/$i/e; (cd d/$i/e; seq 1 1000 | xargs touch); done`;
  const { root, tree } = await hostile(script);
  await removeTree(tree);
  expect(await readdir(root)).toEqual(["outside"]);
}, 120_000);

test("a link in the tree's own place is removed, not followed", async () => {
  const { root, tree, outside } = await hostile("true");
  await removeTree(tree);
  symlinkSync(outside, tree);
  await removeTree(tree);
  expect(existsSync(join(outside, "kept"))).toBe(true);
  expect(await readdir(root)).toEqual(["outside"]);
});
