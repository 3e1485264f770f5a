import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_QUOTA } from "@airlock/core/run";
import { expect, test } from "vitest";
import { createQuotaGuard } from "../../src/call/quota.ts";
import { succeed } from "../../src/tools/tool-body.ts";
import { readUsage } from "../../src/workspace/index.ts";
import { temporaryDirectory, treeFixture } from "../workspace/fixture.ts";

const WRITE = { name: "write_file", effect: "mutating" } as const;
const RUN = { name: "run_command", effect: "mutating" } as const;
const DELETE = { name: "delete_file", effect: "mutating" } as const;
const READ = { name: "read_file", effect: "read" } as const;
const DONE = succeed({ done: true });
const OVER = { content: { done: true, quota: expect.stringContaining("over its quota") as string } };

async function guarded(files: number) {
  const fixture = await treeFixture();
  const usage = join(fixture.root, "usage.json");
  const { gitDir } = fixture.workspace;
  mkdirSync(gitDir);
  const quota = { ...DEFAULT_QUOTA, files };
  // each call has a guard of its own, as in another process
  const guard = () => createQuotaGuard({ tree: fixture.tree, gitDir, usage }, fixture.files, quota);
  const write = async (path: string) => {
    const own = guard();
    expect(await own.files.writeFile(path, Buffer.from("x"))).toMatchObject({ ok: true });
    return own.counted(WRITE, DONE);
  };
  return { ...fixture, gitDir, usage, guard, write };
}

test("the call that passes the quota says so, and the next that writes is refused until something is removed", async () => {
  const { tree, guard, write } = await guarded(2);
  expect(await guard().refusal(WRITE, {})).toBeNull();
  expect(await write("a")).toEqual(DONE);
  expect(await write("b")).toEqual(DONE);
  expect(await write("c")).toMatchObject(OVER);
  for (const tool of [WRITE, RUN]) expect(await guard().refusal(tool, {})).toContain("over its quota");
  expect(await guard().refusal(READ, {})).toBeNull();
  const own = guard();
  expect(await own.refusal(DELETE, { path: "c" })).toBeNull();
  await own.files.deleteFile("c");
  expect(await own.counted(DELETE, DONE)).toEqual(DONE);
  expect(await guard().refusal(WRITE, {})).toBeNull();
  expect(readdirSync(tree)).toEqual(["a", "b"]);
});

test("a command is counted by what it left, and `rm` gets through where it left too much", async () => {
  const { tree, guard } = await guarded(50);
  execFileSync("bash", ["--norc", "-c", "mkdir d; cd d; seq 1000 | xargs touch"], { cwd: tree });
  expect(await guard().counted(RUN, DONE)).toMatchObject(OVER);
  expect(await guard().refusal(RUN, { argv: ["npm", "test"] })).toContain("50 files");
  expect(await guard().refusal(RUN, { argv: ["rm", "-r", "d"] })).toBeNull();
  rmSync(join(tree, "d"), { recursive: true });
  expect(await guard().counted(RUN, DONE)).toEqual(DONE);
  expect(await guard().refusal(RUN, { argv: ["npm", "test"] })).toBeNull();
});

test("what files take is added up between two commands, and a count that can't be read is made anew", async () => {
  const { guard, write, usage } = await guarded(100);
  await write("a");
  const first = await readUsage(usage);
  await write("b");
  expect(await readUsage(usage)).toEqual({ bytes: (first?.bytes ?? 0) + 1, files: 2 });
  writeFileSync(usage, "{");
  expect(await guard().refusal(WRITE, {})).toBeNull();
  expect(await readUsage(usage)).toMatchObject({ files: 2 });
});

test("what is committed and deleted again and again is counted where it lies, in the git dir", async () => {
  const { tree, gitDir, guard } = await guarded(100);
  const git = ["git", `--git-dir=${gitDir}`, `--work-tree=${tree}`, "-c", "safe.directory=*"].join(" ");
  const as = "-c user.name=a -c user.email=a@example.org";
  execFileSync("bash", ["--norc", "-ec", `${git} init -q --template= .`], { cwd: tree });
  const round = `for i in $(seq 20); do echo $1-$i > f$i; done; ${git} add -A; ${git} ${as} commit -qm m; rm f*`;
  const commit = { name: "git_commit", effect: "mutating" } as const;
  let rounds = 0;
  for (; (await guard().refusal(commit, {})) === null && rounds < 20; rounds += 1) {
    execFileSync("bash", ["--norc", "-ec", round, "bash", String(rounds)], { cwd: tree });
    await guard().counted(commit, DONE);
  }
  expect(rounds).toBeGreaterThan(0);
  expect(rounds).toBeLessThan(6);
  expect(readdirSync(tree)).toEqual([]);
});

test("files that were sparse take nothing off the count when they are replaced or deleted", async () => {
  const { tree, guard, write, usage } = await guarded(100);
  execFileSync("bash", ["--norc", "-c", "truncate -s 60M a b"], { cwd: tree });
  await guard().counted(RUN, DONE);
  const first = await readUsage(usage);
  await write("a");
  const own = guard();
  await own.files.deleteFile("b");
  await own.counted(DELETE, DONE);
  expect(await readUsage(usage)).toEqual({ bytes: (first?.bytes ?? 0) + 1, files: 1 });
});

test("a count that failed, and a call whose end nobody saw, leave no old number behind", async () => {
  const { tree, guard, write, usage } = await guarded(100);
  await write("a");
  expect(await guard().refusal(RUN, { argv: ["make"] })).toBeNull();
  expect(await readUsage(usage)).toBeNull();
  await write("b");
  await guard().files.writeFile("c", Buffer.from("x"));
  expect(await readUsage(usage)).toBeNull();
  await write("d");
  rmSync(usage);
  mkdirSync(usage); // nothing can be written there
  expect(await guard().counted(RUN, DONE)).toEqual(DONE);
  expect(await readUsage(usage)).toBeNull();
  rmSync(usage, { recursive: true });
  execFileSync("bash", ["--norc", "-c", "seq 200 | xargs touch"], { cwd: tree });
  expect(await guard().refusal(WRITE, {})).toContain("over its quota");
});

test("a full disk refuses a write by name, and leaves the old file and no half of a new one", async () => {
  const root = await temporaryDirectory();
  const script = `
    import { openWorkspaceFs } from ${JSON.stringify(join(import.meta.dirname, "../../src/workspace/index.ts"))};
    import { mkdirSync, readdirSync, readFileSync } from "node:fs";
    for (const dir of ["tree", "tmp"]) mkdirSync("${root}/" + dir);
    const files = await openWorkspaceFs({ tree: "${root}/tree", staging: "${root}/tmp", serviceUser: null });
    await files.writeFile("f", Buffer.from("old"));
    const full = await files.writeFile("f", Buffer.alloc(1_000_000));
    const left = [readdirSync("${root}/tmp"), readFileSync("${root}/tree/f", "utf8")];
    console.log(JSON.stringify([full, left]));`;
  const small = ["--dev-bind", "/", "/", "--size", "262144", "--tmpfs", root, "--"];
  const node = [
    process.execPath,
    "--conditions=source",
    "--import",
    "tsx",
    "--input-type=module",
    "-e",
    script,
  ];
  const printed = execFileSync("/usr/bin/bwrap", [...small, ...node], {
    encoding: "utf8",
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(printed)).toEqual([
    {
      ok: false,
      errorClass: "DISK_FULL",
      detail: expect.stringContaining("no room left") as string,
      missing: false,
    },
    [[], "old"],
  ]);
});
