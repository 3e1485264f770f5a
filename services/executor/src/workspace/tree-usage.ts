// A tree in, the disk that it takes and how many entries it has out; it stops as soon as a limit is passed, so that no tree
// costs more than its quota to count. No link is followed.
import { Buffer } from "node:buffer";
import { lstat, open, opendir, readFile, writeFile, type FileHandle } from "node:fs/promises";
import type { Quota } from "@airlock/core/run";
import { z } from "zod";
import { closingAfter, errnoCode, HELD_DIRECTORY, openRoot } from "./held-directory.ts";

const usageSchema = z.strictObject({
  /** of the disk, not of the files' lengths: a sparse file takes what it holds */
  bytes: z.number(),
  /** files, folders, links and whatever else has a name */
  files: z.number(),
});
export type TreeUsage = Readonly<z.infer<typeof usageSchema>>;

const BLOCK_BYTES = 512;
const MAX_DEPTH = 128;
const AT_ONCE = 64;

export function exceeds({ bytes, files }: TreeUsage, quota: Quota): boolean {
  return bytes > quota.bytes || files > quota.files;
}

interface Count {
  bytes: number;
  files: number;
  readonly quota: Quota;
}

/** A tree deeper than 128 folders counts as over: nobody needs one. */
export async function measureTree(tree: string, quota: Quota): Promise<TreeUsage> {
  const count: Count = { bytes: 0, files: 0, quota };
  const root = await openRoot(tree);
  await closingAfter(root, countFolder(count, root, 0));
  return { bytes: count.bytes, files: count.files };
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) count.files = Math.max(count.files, count.quota.files + 1);
  const names = namesOf(folder);
  for await (const some of names) {
    if (exceeds(count, count.quota)) return;
    const inner = await Promise.all(some.map((name) => countEntry(count, folder, name)));
    for (const name of inner.filter((each) => each !== null)) await enter(count, { folder, name, depth });
  }
}

/** Returns the name of a folder, which is yet to be entered. */
async function countEntry(count: Count, folder: FileHandle, name: Buffer): Promise<Buffer | null> {
  try {
    const stats = await lstat(childOf(folder, name));
    count.files += 1;
    count.bytes += stats.blocks * BLOCK_BYTES;
    return stats.isDirectory() ? name : null;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return null;
    throw error;
  }
}

async function enter(
  count: Count,
  { folder, name, depth }: { readonly folder: FileHandle; readonly name: Buffer; readonly depth: number },
): Promise<void> {
  if (exceeds(count, count.quota)) return;
  try {
    const inner = await open(childOf(folder, name), HELD_DIRECTORY);
    await closingAfter(inner, countFolder(count, inner, depth + 1));
  } catch (error) {
    // One that went away meanwhile holds nothing; one that can't be looked into is counted by its own entry.
    if (!["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errnoCode(error) ?? "")) throw error;
  }
}

async function* namesOf(folder: FileHandle): AsyncGenerator<readonly Buffer[]> {
  let some: Buffer[] = [];
  // Latin-1 keeps each byte of a name.
  for await (const entry of await opendir(`/proc/self/fd/${folder.fd}`, { encoding: "latin1" })) {
    some.push(Buffer.from(entry.name, "latin1"));
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function childOf(folder: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), name]);
}

/** What was last counted; null where nothing was, or nobody can tell. */
export async function readUsage(place: string): Promise<TreeUsage | null> {
  try {
    return usageSchema.parse(JSON.parse(await readFile(place, "utf8")));
  } catch {
    return null; // it is counted anew
  }
}

export function writeUsage(place: string, usage: TreeUsage): Promise<void> {
  return writeFile(place, JSON.stringify(usage), { mode: 0o600 });
}
