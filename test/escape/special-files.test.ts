import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { grantedCalls, sourceMadeBy } from "./batch.ts";

const place = inject("executor");
/** Whoever waits for the other end of a FIFO, or reads a device to its end, would wait for ever. */
const SOON_MS = 20_000;

/** By a command. */
const PLANT = `mkdir -p d e; mkfifo fifo e/package.json
  perl -e 'use Socket; for my $name ("socket", "d/.gitmodules-socket") {
    my $s; socket($s, PF_UNIX, SOCK_STREAM, 0) and bind($s, sockaddr_un($name)) or die }'
  rm -f package.json; mkfifo package.json; echo plain > plain`;
/** Under names that git reads whatever else is there: it waits for somebody to write. */
const PLANT_FOR_GIT = "mkfifo .gitignore d/.gitignore d/.gitattributes";

/** Devices that no sandboxed program can make: what a backup that was unpacked as root could bring. */
function plantDevices(tree: string): readonly string[] {
  if (process.geteuid?.() !== 0) return [];
  execFileSync("mknod", [path.join(tree, "zero"), "c", "1", "5"]);
  execFileSync("mknod", [path.join(tree, "disk"), "b", "7", "200"]);
  execFileSync("chmod", ["0666", path.join(tree, "zero"), path.join(tree, "disk")]);
  return ["zero", "disk"];
}

test("FIFOs, sockets and devices in a tree keep no tool waiting, and none is read, written or moved", async () => {
  const run = await grantedCalls().run();
  expect((await run.bash(`${PLANT}\n${PLANT_FOR_GIT}`)).code).toBe(0);
  const specials = ["fifo", "socket", ".gitignore", "package.json", ...plantDevices(run.tree)];
  const edit = { oldText: "a", newText: "b" };
  const patch = (at: string): string => `--- a/${at}\n+++ b/${at}\n@@ -1 +1 @@\n-a\n+b\n`;
  const tried = specials.flatMap((at): readonly (readonly [string, JsonObject])[] => [
    ["read_file", { path: at }],
    ["write_file", { path: at, content: "x" }],
    ["edit_file", { path: at, ...edit }],
    ["delete_file", { path: at }],
    ["move_file", { from: at, to: "moved" }],
    ["move_file", { from: "plain", to: at }],
    ["apply_patch", { patch: patch(at) }],
    ["list_files", { path: at }],
    ["run_command", { argv: ["perl", "script.sh"], cwd: at }],
  ]);
  const wrong: string[] = [];
  for (const [tool, args] of tried) {
    const from = performance.now();
    const { state, result } = await run.call(tool, args);
    const refused = state === "DENIED" || result["status"] === "refused";
    if (!refused || performance.now() - from > SOON_MS)
      wrong.push(`${tool} ${JSON.stringify(args)}: ${state} ${JSON.stringify(result)}`);
  }
  expect(wrong).toEqual([]);
});

test("a tree with them can still be listed, searched, compared, committed and counted, and its diff is taken", async () => {
  const calls = grantedCalls();
  const run = await calls.run();
  await run.bash(PLANT);
  const devices = plantDevices(run.tree);
  const listed = await run.call("list_files", { path: "." });
  const types = Object.fromEntries(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tool's own form
    (listed.result["entries"] as { path: string; type: string }[]).map((entry) => [entry.path, entry.type]),
  );
  for (const name of ["fifo", "socket", "package.json", ...devices])
    expect([name, types[name]]).toEqual([name, "other"]);
  const searched = await run.call("search_files", { path: ".", pattern: "plain" });
  expect(searched.result).toMatchObject({ matches: [{ path: "plain", line: 1 }, { path: "script.sh" }] });
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_diff", { path: "." }],
    ["git_log", { path: "fifo" }],
    ["git_commit", { message: "with what is not a file" }],
  ] as const) {
    const from = performance.now();
    const end = await run.call(tool, args);
    expect([tool, end.state === "EXECUTED" || end.state === "DENIED"]).toEqual([tool, true]);
    expect([tool, performance.now() - from < SOON_MS * 3]).toEqual([tool, true]);
  }
  await run.bash(PLANT_FOR_GIT);
  const diff = await calls.diffAtEnd(run);
  const removed = diff.problems.filter((line) => line.startsWith("removed ")).join("\n");
  for (const name of ["fifo", "socket", ".gitignore", "package.json", "d/.gitignore", ...devices])
    expect(removed).toContain(JSON.stringify(name));
});

test("a git tool that waits for a FIFO is over with its run", async () => {
  const calls = grantedCalls();
  const run = await calls.run();
  await run.bash(`mkdir d; ${PLANT_FOR_GIT}`);
  const waiting = run.call("git_status", {});
  for (const deadline = Date.now() + SOON_MS; !isAwaited(run.tree, ".gitignore") && Date.now() < deadline;)
    await sleep(10);
  await calls.cancel(run.run);
  expect((await waiting).errorClass).toBe("CANCELLED");
  expect(isAwaited(run.tree, "d/.gitignore")).toBe(false);
});

/** Whether somebody has opened the FIFO, or waits in doing so: who does, is let go on to the next one. */
function isAwaited(tree: string, fifo: string): boolean {
  try {
    closeSync(openSync(path.join(tree, fifo), constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // What the kernel says where nobody reads.
    if (error instanceof Error && "code" in error && error.code === "ENXIO") return false;
    throw error;
  }
}

test("what a repository brings in their place, links to devices and to the outside, is not followed either", async () => {
  const run = await grantedCalls().run({ source: hostileSource() });
  for (const at of ["zero", "tty", "stdin", "passwd", "up/secret", ".gitattributes", "self/environ"]) {
    const end = await run.call("read_file", { path: at });
    expect([at, end.state === "DENIED" || end.result["status"] === "refused"]).toEqual([at, true]);
    expect(JSON.stringify(end)).not.toContain(place.canary);
  }
  const searched = await run.call("search_files", { path: ".", pattern: place.canary, literal: true });
  expect(searched.result).toMatchObject({ status: "ok", matches: [] });
  for (const tool of ["git_status", "git_diff"])
    expect(await run.call(tool, tool === "git_diff" ? { path: "." } : {}), tool).toMatchObject({
      state: "EXECUTED",
    });
});

/** A repository with each kind of entry that git can store and that is no plain file. */
function hostileSource(): string {
  return sourceMadeBy(
    "links",
    `echo x > plain
    ln -s /dev/zero zero; ln -s /dev/tty tty; ln -s /proc/self/fd/0 stdin; ln -s /etc/passwd passwd; ln -s ${place.directory} up
    ln -s /dev/zero .gitattributes; ln -s /dev/zero .gitignore; ln -s /proc/self self
    git add -A -f
    git update-index --add --cacheinfo 160000,${"1".repeat(40)},module
    git -c user.name=a -c user.email=a@localhost commit -qm Start`,
  );
}
