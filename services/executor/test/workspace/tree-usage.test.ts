import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_QUOTA, type Quota } from "@airlock/core/run";
import { expect, test } from "vitest";
import { measureTree } from "../../src/workspace/index.ts";
import { EFFECTIVE_UID, SERVICE_USER, temporaryDirectory } from "./fixture.ts";

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

/** Counts as somebody who is not root and owns the tree: modes hold for him. */
function measuredByOwner(tree: string, quota: Quota, { notHis = [] as readonly string[] } = {}): unknown {
  const user = SERVICE_USER ?? { uid: EFFECTIVE_UID, gid: process.getgid?.() ?? 0 };
  execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, tree]);
  for (const folder of notHis) execFileSync("chown", ["0:0", join(tree, folder)]);
  const script = `
    import { measureTree } from ${JSON.stringify(join(import.meta.dirname, "../../src/workspace/tree-usage.ts"))};
    process.setgroups?.([]); process.setgid(${user.gid}); process.setuid(${user.uid});
    console.log(JSON.stringify(await measureTree(${JSON.stringify(tree)}, ${JSON.stringify(quota)})));`;
  const node = ["--conditions=source", "--import", "tsx", "--input-type=module", "-e", script];
  const options = { encoding: "utf8", cwd: import.meta.dirname } as const;
  return JSON.parse(execFileSync(process.execPath, node, options));
}

test.each([
  ["passed but not read", "chmod 311 d/e d"],
  ["neither read nor passed", "chmod 000 d/e d"],
  ["read but not passed", "chmod 600 d/e d"],
  ["closed at the root", "chmod 311 ."],
  ["closed altogether", "chmod 000 d ."],
])("folders that are %s hide nothing from who is not root", async (_, close) => {
  const tree = join(await temporaryDirectory(), "tree");
  mkdirSync(tree);
  const script = `mkdir -p d/e; touch d/a d/e/b; ${close}`;
  execFileSync("bash", ["--norc", "-ec", script], { cwd: tree, env: { PATH: "/usr/bin:/bin" } });
  expect(measuredByOwner(tree, DEFAULT_QUOTA)).toMatchObject({ files: 4 });
});

test.skipIf(SERVICE_USER === null)("a folder that can't be opened up counts as over", async () => {
  const tree = join(await temporaryDirectory(), "tree");
  mkdirSync(join(tree, "d"), { recursive: true, mode: 0o700 });
  expect(measuredByOwner(tree, { ...DEFAULT_QUOTA, files: 10 }, { notHis: ["d"] })).toMatchObject({
    files: 11,
  });
});
