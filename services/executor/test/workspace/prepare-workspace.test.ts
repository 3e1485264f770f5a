import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  emptyWorkspace,
  forgetWorkspace,
  prepareWorkspace,
  removeAbandoned,
} from "../../src/workspace/index.ts";
import { gitRepository, SERVICE_USER, temporaryDirectory } from "./fixture.ts";

const signal = AbortSignal.timeout(60_000);

async function repository(script = "echo one > file") {
  const root = await temporaryDirectory();
  const source = join(root, "source");
  const revision = gitRepository(source, script);
  const volume = join(root, "volume");
  const request = { volume, runId: "run-1", source, ref: "main", serviceUser: SERVICE_USER };
  return { root, source, volume, revision, request };
}

test("gives a run the committed state only, owned by the service user, with the git dir outside", async () => {
  const { source, request, revision } = await repository();
  writeFileSync(join(source, "file"), "dirty");
  writeFileSync(join(source, "untracked"), "x");
  const workspace = await prepareWorkspace(request, signal);
  expect(workspace.baseRevision).toBe(revision);
  expect((await readdir(workspace.tree)).toSorted()).toEqual([".git", "file"]);
  expect(readFileSync(join(workspace.tree, "file"), "utf8")).toBe("one\n");
  const owner = SERVICE_USER ?? { uid: process.getuid?.(), gid: process.getgid?.() };
  expect(await stat(join(workspace.tree, "file"))).toMatchObject(owner);
  expect(existsSync(join(workspace.gitDir, "HEAD"))).toBe(true);
});

test("returns what exists when asked again, also with the agent's changes in it", async () => {
  const { request } = await repository();
  const first = await prepareWorkspace(request, signal);
  writeFileSync(join(first.tree, "file"), "the agent's");
  expect(await prepareWorkspace(request, signal)).toEqual(first);
  expect(readFileSync(join(first.tree, "file"), "utf8")).toBe("the agent's");
});

test("what an earlier crash left half made is in nobody's way, and goes once it is old", async () => {
  const { request, volume } = await repository();
  const left = join(volume, ".building-run-1.abad");
  mkdirSync(join(left, "tree"), { recursive: true });
  writeFileSync(join(left, "tree", "garbage"), "");
  const workspace = await prepareWorkspace(request, signal);
  expect((await readdir(workspace.tree)).toSorted()).toEqual([".git", "file"]);
  expect(await removeAbandoned(left, 60_000)).toBe(false);
  expect(await removeAbandoned(left, 0)).toBe(true);
  expect((await readdir(volume)).toSorted()).toEqual(["mirrors", "run-1"]);
});

test("a removed workspace is never made anew, whenever the removal was cut short", async () => {
  const { request, volume } = await repository();
  const workspace = await prepareWorkspace(request, signal);
  await emptyWorkspace(volume, request.runId, 5);
  await emptyWorkspace(volume, request.runId, 6);
  expect(existsSync(workspace.tree)).toBe(false);
  await expect(prepareWorkspace(request, signal)).rejects.toThrow("was removed after the run's end");
  mkdirSync(join(workspace.tree, "left"), { recursive: true });
  await emptyWorkspace(volume, request.runId, 7);
  expect(await readdir(join(volume, request.runId))).toEqual(["workspace.json"]);
  await forgetWorkspace(volume, request.runId);
  await forgetWorkspace(volume, request.runId);
  expect(await readdir(volume)).toEqual(["mirrors"]);
});

test("several executors prepare one run at once: all get the one workspace, and nothing is left beside it", async () => {
  const { request, volume } = await repository();
  const prepared = await Promise.all(Array.from({ length: 6 }, () => prepareWorkspace(request, signal)));
  expect(new Set(prepared.map((workspace) => JSON.stringify(workspace))).size).toBe(1);
  expect((await readdir(volume)).toSorted()).toEqual(["mirrors", "run-1"]);
});

test("prepares many runs of one source at once, each at its own revision", async () => {
  const { request, source, revision } = await repository();
  execFileSync("git", ["-C", source, "tag", "v1"]);
  writeFileSync(join(source, "file"), "two\n");
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  execFileSync("git", ["-C", source, ...identity, "commit", "-qam", "second"]);
  const refs = ["main", "v1", revision, "HEAD"];
  const prepared = await Promise.all(
    refs.map((ref, index) => prepareWorkspace({ ...request, ref, runId: `run-${index}` }, signal)),
  );
  const contents = prepared.map(({ tree }) => readFileSync(join(tree, "file"), "utf8"));
  expect(contents).toEqual(["two\n", "one\n", "one\n", "two\n"]);
});

test("runs no program that the source's configuration or tree names", async () => {
  const { root, source, request } = await repository(
    `echo '* filter=evil diff=evil' > .gitattributes; echo one > file`,
  );
  const marker = join(root, "marker");
  const evil = `sh -c 'touch ${marker}; cat'`;
  const settings = {
    "core.fsmonitor": evil,
    "core.hooksPath": join(source, "hooks"),
    "core.sshCommand": evil,
    "diff.evil.command": evil,
    "filter.evil.clean": evil,
    "filter.evil.smudge": evil,
    "uploadpack.packObjectsHook": evil,
    "alias.fetch": `!${evil}`,
  };
  for (const [key, value] of Object.entries(settings)) {
    execFileSync("git", ["-C", source, "config", key, value]);
  }
  for (const dir of ["hooks", ".git/hooks"]) {
    mkdirSync(join(source, dir), { recursive: true });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(source, dir, hook), `#!/bin/sh\ntouch ${marker}\n`);
      chmodSync(join(source, dir, hook), 0o755);
    }
  }
  await prepareWorkspace(request, signal);
  expect(existsSync(marker)).toBe(false);
});

test.each([
  ["another source for the same run", { source: "/elsewhere" }],
  ["another ref for the same run", { ref: "v2" }],
])("refuses %s", async (_, change) => {
  const { request } = await repository();
  await prepareWorkspace(request, signal);
  await expect(prepareWorkspace({ ...request, ...change }, signal)).rejects.toMatchObject({
    code: "WORKSPACE_UNAVAILABLE",
  });
});

test.each([
  ["a ref that is an option", { ref: "--upload-pack=touch" }],
  ["a ref that is not there", { ref: "absent" }],
  ["a refspec", { ref: "main:refs/heads/x" }],
  ["a source that names a transport", { source: "ext::sh -c true" }],
  ["a source that is an option", { source: "--upload-pack=x" }],
  ["a relative source", { source: "source" }],
  ["a source that is not there", { source: "/nonexistent/repository" }],
  ["a run id that climbs", { runId: "../x" }],
  ["a run id that is taken", { runId: "mirrors" }],
])("refuses %s and leaves no workspace", async (_, change) => {
  const { request, volume } = await repository();
  await expect(prepareWorkspace({ ...request, ...change }, signal)).rejects.toMatchObject({
    code: "WORKSPACE_UNAVAILABLE",
  });
  expect(existsSync(join(volume, "run-1"))).toBe(false);
});

test.runIf(SERVICE_USER !== null)("names the directory that the service user can't pass", async () => {
  const { root, request } = await repository();
  const closed = join(root, "closed");
  mkdirSync(closed, { mode: 0o700 });
  await expect(prepareWorkspace({ ...request, volume: join(closed, "v") }, signal)).rejects.toThrow(closed);
  rmSync(closed, { recursive: true });
});
