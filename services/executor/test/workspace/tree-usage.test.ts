import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_QUOTA } from "@airlock/core/run";
import { expect, test } from "vitest";
import { measureTree } from "../../src/workspace/index.ts";
import { temporaryDirectory } from "./fixture.ts";

async function measured(script: string, quota: Partial<typeof DEFAULT_QUOTA> = {}) {
  const tree = join(await temporaryDirectory(), "tree");
  mkdirSync(tree);
  execFileSync("bash", ["--norc", "-ec", script], { cwd: tree, env: { PATH: "/usr/bin:/bin" } });
  return measureTree(tree, { ...DEFAULT_QUOTA, ...quota });
}

test.each([
  ["files, folders and links, each by its name", "mkdir a; echo x > a/f; ln -s / l; mkfifo p", 5 - 1],
  ["names that are no text", String.raw`touch $'\xff' $'a\nb'; mkdir $'d\xfe'; touch $'d\xfe/x'`, 4],
  ["what a link names not at all", "ln -s /usr u; ln -s .. up; ln -s . self", 3],
  ["nothing where there is nothing", "true", 0],
])("counts %s", async (_, script, files) => {
  expect(await measured(script)).toMatchObject({ files });
});

test("counts the disk that files take, not what they say of their length", async () => {
  const { bytes } = await measured(
    "truncate -s 50G sparse; head -c 1000000 /dev/zero | tr '\\0' x > full; sync full",
  );
  expect(bytes).toBeGreaterThanOrEqual(1_000_000);
  expect(bytes).toBeLessThan(2_000_000);
});

test("stops soon after a limit is passed", async () => {
  const many = "mkdir d; cd d; seq 3000 | xargs touch";
  const { files } = await measured(many, { files: 100 });
  expect(files).toBeGreaterThan(100);
  expect(files).toBeLessThan(300);
});

test("a tree that is deeper than any that is needed counts as over", async () => {
  const { files } = await measured("for i in $(seq 140); do mkdir d; cd d; done", { files: 1_000 });
  expect(files).toBeGreaterThan(1_000);
});
