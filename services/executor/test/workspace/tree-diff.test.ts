import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DEFAULT_SANDBOX_LIMITS } from "../../src/sandbox/index.ts";
import {
  commitRun,
  commitsPlace,
  compareTree,
  mirrorPlace,
  prepareWorkspace,
  workspacePlaces,
  type Comparison,
} from "../../src/workspace/index.ts";
import { backendFixture, gitRepository, SERVICE_USER, temporaryDirectory } from "./fixture.ts";

const signal = AbortSignal.timeout(120_000);
const LIMITS = { textBytes: 100_000, files: 100 };

/** A workspace in whose tree a hostile script ran. */
async function workspace(script: string, base = "printf 'one\\n' > file; mkdir src; echo a > src/a") {
  const root = await temporaryDirectory();
  const source = join(root, "source");
  gitRepository(source, base);
  const volume = join(root, "volume");
  const made = await prepareWorkspace(
    { volume, runId: "run-1", source, ref: "main", serviceUser: SERVICE_USER },
    signal,
  );
  // The tree is another user's: the script's own git takes it all the same.
  const trusting = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
  const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", MARK: root, ...trusting };
  execFileSync("bash", ["--norc", "-ec", script], { cwd: made.tree, env });
  const { objects, baseRevision } = made;
  const places = workspacePlaces(join(volume, "run-1"));
  const compared = { places, objects, baseRevision, prepared: [] as string[], limits: LIMITS };
  const diff = (change: Partial<typeof compared> = {}) =>
    compareTree({ ...compared, ...change }, ({ diff: found }) => Promise.resolve(found), signal);
  return { root, volume, source, compared, diff, places };
}

test("shows what changed, was added and was removed, untracked files too, and leaves nothing behind", async () => {
  const { diff, places } = await workspace(
    "printf 'one\\ntwo\\n' > file; rm src/a; mkdir new; echo n > new/n; printf '\\0\\1' > bin",
  );
  const found = await diff();
  expect(found).toMatchObject({
    files: [
      { path: "bin", added: null, deleted: null },
      { path: "file", added: 1, deleted: 0 },
      { path: "new/n", added: 1, deleted: 0 },
      { path: "src/a", added: 0, deleted: 1 },
    ],
    filesTotal: 4,
    ignoredTotal: 0,
    problems: [],
  });
  expect(found.text).toContain("+two\n");
  expect(found.text).toContain("Binary files /dev/null and b/bin differ");
  expect(found.textBytes).toBe(Buffer.byteLength(found.text));
  expect((await readdir(places.root)).toSorted()).toEqual(["git", "tmp", "tree", "workspace.json"]);
});

test("is empty where nothing changed", async () => {
  const { diff } = await workspace("touch file; chmod 644 src/a");
  expect(await diff()).toMatchObject({ files: [], text: "", textBytes: 0, filesTotal: 0 });
});

test("keeps the beginning of a long text and counts the rest", async () => {
  const { diff } = await workspace("seq 1 20000 > long; for i in $(seq 30); do echo $i > f$i; done");
  const found = await diff({ limits: { textBytes: 1_000, files: 10 } });
  expect(found).toMatchObject({ filesTotal: 31 });
  expect(found.files).toHaveLength(10);
  expect(found.text).toHaveLength(1_000);
  expect(found.textBytes).toBeGreaterThan(100_000);
});

test("attributes can't hide a text, and what ignore rules hide is named", async () => {
  const { diff } = await workspace(
    "printf '* -diff\\n* filter=evil\\n' > .gitattributes; echo shown > file; mkdir hid; echo '*' > hid/.gitignore; echo x > hid/x",
  );
  const found = await diff();
  expect(found.text).toContain("+shown");
  expect(found).toMatchObject({ ignored: ["hid/"], ignoredTotal: 1 });
});

test("what was prepared is the base, whatever is in it", async () => {
  const { diff } = await workspace("mkdir -p deps/a; echo x > deps/a/x; echo y > y");
  expect(await diff({ prepared: ["deps"] })).toMatchObject({ files: [{ path: "y" }], filesTotal: 1 });
});

const SUBMODULE = `echo one > file; git init -q sub; git -C sub commit -q --allow-empty -m s; git add sub 2>/dev/null`;
const EVIL = `
if [ -d sub ]; then cd sub; else mkdir nested; cd nested; fi
git init -q .
git config core.fsmonitor "touch $MARK/ran; false"; git config core.hooksPath "$MARK"
git config filter.evil.clean "touch $MARK/ran; cat"; git config alias.status "!touch $MARK/ran"
echo '* filter=evil' > .gitattributes; echo content > file`;

test.each([
  ["a folder that became a repository", EVIL, undefined],
  ["a submodule of the base", EVIL, SUBMODULE],
  [
    "a configuration in the root's own .git",
    `rm .git; git init -q .; git config core.fsmonitor "touch $MARK/ran"`,
    undefined,
  ],
])("starts no program that %s names", async (_, script, base) => {
  const { diff, root } = await workspace(script, base);
  await diff();
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("a submodule of the base that nobody touched is no change", async () => {
  const { diff } = await workspace("echo two > file", SUBMODULE);
  expect((await diff()).files).toEqual([{ path: "file", added: 1, deleted: 1 }]);
});

test("a repository without a commit, which git refuses to add, hides nothing else and is named", async () => {
  const { diff } = await workspace("git init -q nested; echo x > nested/x; echo two > file");
  const found = await diff();
  expect(found.files).toEqual([{ path: "file", added: 1, deleted: 1 }]);
  expect(found.problems.join("\n")).toContain("nested");
});

test("names with newlines and bytes that are no text, links and FIFOs do no harm", async () => {
  const { diff } = await workspace(
    `echo x > $'a\\nb'; echo x > $'\\xff'; ln -s /etc/passwd link; mkfifo fifo; rm -r src; ln -s / src`,
  );
  const found = await diff();
  expect(found.files.map(({ path }) => path)).toEqual([
    String.raw`"a\nb"`,
    "link",
    "src",
    "src/a",
    String.raw`"\377"`,
  ]);
  expect(found.text).not.toContain("root:");
});

test("special files under names that git reads neither hold it up nor hide anything, and are named", async () => {
  const special = [
    ".gitattributes",
    ".gitignore",
    "nested/.git/HEAD",
    "src/.gitattributes",
    "src/.gitignore",
  ];
  const script = `mkdir -p nested/.git; mkfifo ${special.join(" ")}; echo b > src/a; echo two > file; chmod 311 src`;
  const { diff, places } = await workspace(script);
  const found = await diff();
  expect(found.files.map(({ path }) => path)).toEqual(["file", "src/a"]);
  const named = special.map((name) => `removed "${name}": a FIFO, socket or device`);
  expect(found.problems.toSorted()).toEqual(expect.arrayContaining(named));
  expect(await readdir(join(places.tree, "src"))).toEqual(["a"]);
});

test("more special files than are listed are counted, sockets too, and links to one stay", async () => {
  const socket = `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("s"))'`;
  const { diff } = await workspace(`for i in $(seq 60); do mkfifo f$i; done; ${socket}; ln -s f1 link`);
  const found = await diff();
  expect(found.problems).toHaveLength(51);
  expect(found.problems.at(-1)).toBe("removed 11 more of the kind");
  expect(found.files.map(({ path }) => path)).toEqual(["link"]);
});

test("is kept as one commit on a branch beside the mirror, with trailers for the run and its items", async () => {
  const { compared, source, volume } = await workspace("echo two > file");
  const mirror = mirrorPlace(volume, source);
  const commits = commitsPlace(volume, source);
  const { baseRevision, objects } = compared;
  const all = ["cat-file", "--batch-all-objects", "--batch-check"];
  const before = execFileSync("git", [`--git-dir=${mirror}`, ...all]);
  const request = { objects, commits, run: "run-1", baseRevision, items: ["run-1.1.1.0"], more: 2 };
  for (const _ of [1, 2]) {
    const branch = await compareTree(
      compared,
      (comparison) => commitRun({ ...request, comparison }, signal),
      signal,
    );
    expect(branch).toBe("airlock/run-1");
  }
  const git = (...args: string[]) =>
    execFileSync("git", [`--git-dir=${commits}`, ...args], { encoding: "utf8" });
  expect(git("show", "airlock/run-1:file")).toBe("two\n");
  expect(git("rev-parse", "airlock/run-1^").trim()).toBe(baseRevision);
  expect(git("log", "-1", "--format=%(trailers:only)", "airlock/run-1").trim().split("\n")).toEqual([
    "Airlock-Run: run-1",
    "Airlock-Item: run-1.1.1.0",
    "Airlock-Items-More: 2",
  ]);
  expect(execFileSync("git", [`--git-dir=${mirror}`, ...all])).toEqual(before);
  expect(await readdir(dirname(commits))).toEqual([basename(commits)]);
  const clone = join(dirname(volume), "clone");
  execFileSync("git", ["clone", "-q", "-b", "airlock/run-1", commits, clone]);
  expect(readFileSync(join(clone, "file"), "utf8")).toBe("two\n");
  expect(readFileSync(join(source, "file"), "utf8")).toBe("one\n");
});

test("what one run made is in no object that a later run's sandbox sees", async () => {
  const { compared, source, volume, root } = await workspace("echo 'secret of run-1' > made");
  const { baseRevision, objects } = compared;
  const request = { objects, commits: commitsPlace(volume, source), run: "run-1", baseRevision, more: 0 };
  const commit = (comparison: Comparison) => commitRun({ ...request, comparison, items: [] }, signal);
  await compareTree(compared, commit, signal);
  const later = await prepareWorkspace(
    { volume, runId: "run-2", source, ref: "main", serviceUser: SERVICE_USER },
    signal,
  );
  const backend = await backendFixture(join(root, "state"));
  const session = await backend.open(
    { tree: later.tree, git: { gitDir: later.gitDir, objects: later.objects } },
    DEFAULT_SANDBOX_LIMITS,
  );
  onTestFinished(() => session.close());
  const seen = await session.exec(
    {
      name: "later",
      fenceHolds: () => Promise.resolve(true),
      argv: ["git", "cat-file", "--batch-all-objects", "--batch"],
      cwdRel: "",
      profile: "read",
      timeoutMs: 20_000,
    },
    signal,
  );
  expect(seen).toMatchObject({ kind: "exited", code: 0 });
  const text = "stdout" in seen ? Buffer.concat([seen.stdout.head, seen.stdout.tail]).toString() : "";
  expect(text).toContain("one\n");
  expect(text).not.toContain("secret of run-1");
});
