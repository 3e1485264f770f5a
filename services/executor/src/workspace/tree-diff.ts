// A run's tree and its base in, what differs out: untracked files too, binary ones by name, the text up to a bound.
// The tree is hostile: git gets a git dir that nobody else could write to, and asks nothing of a repository inside.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeSpecials } from "./remove-specials.ts";
import { removeTree } from "./remove-tree.ts";
import { createTrustedGit, type TrustedGit } from "./trusted-git.ts";
import type { WorkspacePlaces } from "./workspace-places.ts";

export interface FileChange {
  readonly path: string;
  /** Lines; null for a binary file. */
  readonly added: number | null;
  readonly deleted: number | null;
}

export interface TreeDiff {
  readonly files: readonly FileChange[];
  readonly filesTotal: number;
  /** A unified diff, from its beginning. */
  readonly text: string;
  readonly textBytes: number;
  /** What ignore rules keep out of the diff, folders as one. */
  readonly ignored: readonly string[];
  readonly ignoredTotal: number;
  /** What was taken away because git can't store it, and what git could not read or would not follow, in its words. */
  readonly problems: readonly string[];
}

export interface DiffLimits {
  readonly textBytes: number;
  readonly files: number;
}

export interface Comparison {
  readonly diff: TreeDiff;
  /** Where the tree was written to; gone when `use` returns. */
  readonly git: TrustedGit;
  readonly gitDir: string;
  readonly treeId: string;
}

interface Compared {
  readonly places: WorkspacePlaces;
  readonly objects: string;
  readonly baseRevision: string;
  /** Folders that count as the base, whatever is in them. */
  readonly prepared: readonly string[];
  readonly limits: DiffLimits;
}

const LISTED = 50;
const LIST_BYTES = 4 * 1024 * 1024;

/** Throws WORKSPACE_UNAVAILABLE where git can't compare at all. Nothing may run in the tree meanwhile. */
export async function compareTree<Value>(
  compared: Compared,
  use: (comparison: Comparison) => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { places, objects, baseRevision } = compared;
  await removeTree(places.comparison);
  await mkdir(places.comparison, { mode: 0o700 });
  try {
    const git = await createTrustedGit(join(places.comparison, "home"));
    const gitDir = join(places.comparison, "git");
    await git.run(["init", "--quiet", "--bare", "--template=", gitDir], signal);
    await writeFile(join(gitDir, "objects", "info", "alternates"), `${objects}\n`);
    const at = { git, inTree: ["-C", places.tree, `--git-dir=${gitDir}`, `--work-tree=${places.tree}`] };
    await git.run([...at.inTree, "read-tree", baseRevision], signal);
    const removed = await removedSpecials(places.tree);
    const problems = [...removed, ...(await indexTree(at, compared, signal))];
    const treeId = await git.run([...at.inTree, "write-tree"], signal);
    const ignored = await ignoredNames(at, signal);
    const texts = await textsOf({ git, gitDir, from: baseRevision, to: treeId }, compared.limits, signal);
    return await use({ diff: { ...texts, ...ignored, problems }, git, gitDir, treeId });
  } finally {
    await removeTree(places.comparison);
  }
}

async function removedSpecials(tree: string): Promise<readonly string[]> {
  const { names, total } = await removeSpecials(tree, LISTED);
  const lines = names.map(
    (name) => `removed ${JSON.stringify(name.slice(0, 300))}: a FIFO, socket or device`,
  );
  return total > names.length ? [...lines, `removed ${total - names.length} more of the kind`] : lines;
}

interface InTree {
  readonly git: TrustedGit;
  readonly inTree: readonly string[];
}

async function indexTree(
  { git, inTree }: InTree,
  { prepared }: Compared,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const submodules = await submoduleEntries({ git, inTree }, signal);
  // For a submodule of its index git starts a git inside the tree, which would obey the configuration there.
  await updateIndex(
    { git, inTree },
    submodules.map(({ path }) => `0 ${"0".repeat(40)}\t${path}`),
    signal,
  );
  const kept = prepared.map((folder) => `:(exclude,top,literal)${folder}`);
  const add = ["-c", "core.quotePath=true", "add", "--all", "--ignore-errors", "--", ":/", ...kept];
  const { complaints } = await git.read([...inTree, ...add], { maxBytes: 0 }, signal);
  const untouched = await Promise.all(
    submodules.map(async (entry) => {
      const listed = await git.read(
        [...inTree, "ls-files", "-z", "--", `:(top,literal)${entry.path}`],
        { maxBytes: 1 },
        signal,
      );
      return listed.totalBytes === 0 ? [entry.line] : [];
    }),
  );
  await updateIndex({ git, inTree }, untouched.flat(), signal);
  const lines = complaints.split("\n").filter((line) => line !== "");
  return lines.slice(0, LISTED).map((line) => line.slice(0, 300));
}

async function submoduleEntries({ git, inTree }: InTree, signal: AbortSignal) {
  const listed = await git.read([...inTree, "ls-files", "-s", "-z"], { maxBytes: 256 * 1024 * 1024 }, signal);
  return listed.head
    .toString("latin1")
    .split("\0")
    .filter((line) => line.startsWith("160000 "))
    .map((line) => ({ line, path: line.slice(line.indexOf("\t") + 1) }));
}

async function updateIndex(
  { git, inTree }: InTree,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (lines.length === 0) return;
  const stdin = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
  await git.read([...inTree, "update-index", "-z", "--index-info"], { maxBytes: 0, stdin }, signal);
}

async function ignoredNames({ git, inTree }: InTree, signal: AbortSignal) {
  const list = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory"];
  const { head } = await git.read([...inTree, ...list], { maxBytes: LIST_BYTES }, signal);
  let folder: string | null = null;
  // What hides a folder may lie in it: git then names the folder and what is in it.
  const names = linesOf(head).filter((name) => {
    if (folder !== null && name.startsWith(folder)) return false;
    if (name.endsWith("/")) folder = name;
    return true;
  });
  return { ignored: names.slice(0, LISTED), ignoredTotal: names.length };
}

async function textsOf(
  { git, gitDir, from, to }: { git: TrustedGit; gitDir: string; from: string; to: string },
  limits: DiffLimits,
  signal: AbortSignal,
) {
  const diff = [`--git-dir=${gitDir}`, "diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-renames"];
  const between = [from, to];
  const numbers = await git.read([...diff, "--numstat", ...between], { maxBytes: LIST_BYTES }, signal);
  // Between two trees of a git dir without a work tree, no attributes pass a text off as binary.
  const patch = ["--patch", "--no-color", "--full-index", "--submodule=short"];
  const text = await git.read([...diff, ...patch, ...between], { maxBytes: limits.textBytes }, signal);
  return {
    files: linesOf(numbers.head).slice(0, limits.files).map(fileChange),
    filesTotal: numbers.totalLines,
    text: text.head.toString(),
    textBytes: text.totalBytes,
  };
}

function fileChange(line: string): FileChange {
  const [added = "", deleted = "", ...path] = line.split("\t");
  return { path: path.join("\t"), added: lineCount(added), deleted: lineCount(deleted) };
}

function lineCount(text: string): number | null {
  return text === "-" ? null : Number(text);
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes
    .toString()
    .split("\n")
    .filter((line) => line !== "");
}
