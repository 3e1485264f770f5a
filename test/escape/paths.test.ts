import { execFileSync, spawn } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { openWorkspaceFs } from "../../services/executor/src/workspace/index.ts";
import type { CallEnd, GrantedRun } from "../support/granted-calls.ts";
import { grantedCalls } from "./batch.ts";

const place = inject("executor");
const { directory, canary } = place;

/** A folder that every user may change, so that nothing but the tools' own care protects it. */
function outsideFolder(name: string): string {
  const outside = path.join(place.volume, name);
  mkdirSync(outside);
  execFileSync("chmod", ["0777", outside]);
  execFileSync("cp", [path.join(directory, "secret"), path.join(outside, "f")]);
  return outside;
}

/** A tree with all that an agent can plant in it. */
async function hostileRun(): Promise<{ readonly run: GrantedRun; readonly outside: string }> {
  const run = await grantedCalls().run();
  const outside = outsideFolder(`${run.run}-outside`);
  mkdirSync(`${run.tree}-evil`);
  const planted = await run.bash(`
    ln -s ${outside}/f leaf; ln -s ${outside} parent; ln -s ${outside}/new dangling; ln -s b chain; ln -s c b; ln -s ${outside}/f c
    ln -s /dev/zero zero; ln -s /etc/passwd passwd; mkfifo fifo; : > sparse; mkdir dir; echo x > file; ln -s / root
    mkdir names
    perl -e 'for ("bad\\xff", "new\\nline", "esc\\e[31m") { open(my $f, ">", "names/$_") or die }'`);
  expect(planted.code).toBe(0);
  // Larger than a sandboxed program could make it.
  truncateSync(path.join(run.tree, "sparse"), 50 * 2 ** 30);
  linkSync(path.join(outside, "f"), path.join(run.tree, "hard"));
  return { run, outside };
}

const refused = ({ state, result }: CallEnd): boolean => state === "DENIED" || result["status"] === "refused";

/** Of any tool: what no path may be. */
const NO_PATH: readonly (readonly [name: string, path: string])[] = [
  ["one above the tree", "../x"],
  ["an absolute path", "/etc/passwd"],
  ["a climb in the middle", "a/../../x"],
  ["a climb behind a dot", "./../x"],
  ["a neighbour that begins alike", "../tree-evil/x"],
  ["a NUL byte", "x\0y"],
  ["a component of 256 bytes", "x".repeat(256)],
  ["5000 bytes", "x/".repeat(2500)],
  ["1000 components", Array.from({ length: 1000 }, () => "a").join("/")],
  ["the git dir", ".git/x"],
  ["the git dir in capitals", ".GIT/x"],
  ["the git dir with a dot behind", ".git./x"],
  ["the git dir with a blank behind", ".git /x"],
  ["the git dir with a character that isn't seen", "g\u200cit/../.g\u200cit/x"],
  ["the git dir with an ignorable character", ".g\u200cit/x"],
  ["the git dir's short name", "git~1/x"],
  ["the git dir in full width", "\uff0e\uff47\uff49\uff54/x"],
  ["a nested git dir", "sub/.git/config"],
  ["through a link to a folder", "parent/f"],
  ["through a link to the root", "root/etc/passwd"],
  ["below a file", "file/x"],
];

const WRITES: readonly (readonly [string, string])[] = [
  ...NO_PATH,
  ["submodules", ".gitmodules"],
  ["nothing", ""],
  ["the tree itself", "."],
  ["slashes", "//"],
  ["a folder", "dir"],
  ["a new file beyond a link", "parent/new"],
];

const READS: readonly (readonly [string, string])[] = [
  ...NO_PATH,
  ["nothing", ""],
  ["the tree itself", "."],
  ["slashes", "//"],
  ["a link to outside", "leaf"],
  ["a dangling link", "dangling"],
  ["a chain of links", "chain"],
  ["a link to a device", "zero"],
  ["a FIFO, without waiting", "fifo"],
  ["50 GiB of nothing", "sparse"],
  ["a folder", "dir"],
  ["a second name of a foreign file", "hard"],
];

describe("file tools", () => {
  test("are refused every path that leads out, at once and without an effect", async () => {
    const { run, outside } = await hostileRun();
    const tried: (readonly [string, string, JsonObject])[] = [
      ...READS.map(([name, at]) => [`read ${name}`, "read_file", { path: at }] as const),
      ...WRITES.map(([name, at]) => [`write ${name}`, "write_file", { path: at, content: "x" }] as const),
      ...NO_PATH.map(([name, at]) => [`list ${name}`, "list_files", { path: at }] as const),
    ];
    const reached: string[] = [];
    for (const [name, tool, args] of tried) {
      const end = await run.call(tool, args);
      if (!refused(end) || JSON.stringify(end).includes(canary))
        reached.push(`${name}: ${JSON.stringify(end)}`);
    }
    expect(reached).toEqual([]);
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(readdirSync(`${run.tree}-evil`)).toEqual([]);
    expect(readFileSync(path.join(outside, "f"), "utf8")).toBe(canary);
  });

  test("replace a link, and a second name, in place of what it points to", async () => {
    const { run, outside } = await hostileRun();
    for (const at of ["leaf", "dangling", "chain", "passwd", "hard"]) {
      const end = await run.call("write_file", { path: at, content: "mine" });
      if (end.result["status"] === "ok") expect(readFileSync(path.join(run.tree, at), "utf8")).toBe("mine");
      else expect(refused(end)).toBe(true);
    }
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(readFileSync(path.join(outside, "f"), "utf8")).toBe(canary);
  });

  test("take odd names for names", async () => {
    const { run } = await hostileRun();
    for (const at of ["a/./b", "-rf", "--help", "@file", "a b", "$(touch x)", "dir//x/"]) {
      expect(await run.call("write_file", { path: at, content: at }), at).toMatchObject({
        result: { status: "ok" },
      });
    }
    expect(readFileSync(path.join(run.tree, "--help"), "utf8")).toBe("--help");
    expect(readdirSync(run.tree)).not.toContain("x");
  });

  test("list what is there with its names escaped, and stop at a limit", async () => {
    const { run } = await hostileRun();
    await run.bash("mkdir many; cd many; for n in $(seq 1 6000); do : > $n; done");
    const names = await run.call("list_files", { path: "names" });
    const listed = JSON.stringify(names.result);
    expect(names.result["entries"]).toHaveLength(3);
    expect(listed).toContain("\\\\xff");
    // oxlint-disable-next-line no-control-regex -- that they are not there is the point
    expect(JSON.stringify(names.result["entries"])).not.toMatch(/\\u001b|\\n/);
    expect((await run.call("list_files", { path: "many" })).result["truncated"]).toBe(true);
    for (const link of ["parent", "root"])
      expect(refused(await run.call("list_files", { path: link }))).toBe(true);
  });

  test("a command's folder lies in the tree or is refused", async () => {
    const { run } = await hostileRun();
    for (const cwd of ["..", "/etc", "dir/../..", "parent", "root", "leaf", "x\0", ".git", "absent"]) {
      const end = await run.call("run_command", { argv: ["perl", "script.sh"], cwd });
      expect(refused(end), `${cwd}: ${JSON.stringify(end)}`).toBe(true);
    }
  });
});

const RACE_MS = 5_000;

/** Swaps `d` between a folder and a link to outside, as fast as one process can, and makes room where a write got between. */
const SWAP = `my ($outside, $parent) = @ARGV;
  while (getppid() == $parent) {
    rename "d", "kept" or system "rm", "-rf", "kept";
    symlink $outside, "d"; unlink "d"; rename "kept", "d";
  }`;

test("a folder that is swapped with a link to outside for five seconds lets nothing out", async () => {
  const run = await grantedCalls().run();
  const outside = outsideFolder(`${run.run}-outside`);
  await run.bash("mkdir d; chmod 777 d");
  const user = { uid: place.uid, gid: place.uid };
  const asUser = process.geteuid?.() === 0 ? user : {};
  const swapper = spawn("perl", ["-e", SWAP, outside, String(process.pid)], { cwd: run.tree, ...asUser });
  onTestFinished(() => void swapper.kill("SIGKILL"));
  const files = await openWorkspaceFs({
    tree: run.tree,
    staging: path.join(path.dirname(run.tree), "tmp"),
    serviceUser: process.geteuid?.() === 0 ? user : null,
  });
  onTestFinished(() => files.close());
  const seen = { written: 0, read: 0, refused: 0, escaped: 0 };
  const over = Date.now() + RACE_MS;
  const direct = async (): Promise<void> => {
    while (Date.now() < over) {
      const wrote = await files.writeFile("d/f", Buffer.from("mine"));
      seen[wrote.ok ? "written" : "refused"] += 1;
      const read = await files.readFile("d/f", { maxBytes: 1000 });
      if (read.ok && Buffer.from(read.bytes).toString().includes(canary)) seen.escaped += 1;
      else if (read.ok) seen.read += 1;
    }
  };
  const granted = async (): Promise<void> => {
    while (Date.now() < over) {
      await run.call("write_file", { path: "d/f", content: "mine" });
      if (JSON.stringify(await run.call("read_file", { path: "d/f" })).includes(canary)) seen.escaped += 1;
    }
  };
  await Promise.all([direct(), granted()]);
  expect({ escaped: seen.escaped, outside: readdirSync(outside) }).toEqual({ escaped: 0, outside: ["f"] });
  expect(readFileSync(path.join(outside, "f"), "utf8")).toBe(canary);
  // Both sides of the race were met, else it would show nothing.
  const { written, read, refused: stopped } = seen;
  expect([written > 0, read > 0, stopped > 0], JSON.stringify(seen)).toEqual([true, true, true]);
});
