// A tree in, the disk that it takes and how many entries it has out; it stops as soon as a limit is passed, so that no tree
// costs more than its quota to count. No link is followed, and a folder that is closed to its owner is opened up: no mode hides files.
import { Buffer } from "node:buffer";
import { lstat, opendir, readFile, rm, writeFile, type FileHandle } from "node:fs/promises";
import type { Quota } from "@airlock/core/run";
import { z } from "zod";
import { childOf, closingAfter, errnoCode, holdFolder } from "./held-directory.ts";

const usageSchema = z.strictObject({
  /** of the disk, not of the files' lengths: a sparse file takes what it holds */
  bytes: z.number().min(0),
  /** files, folders, links and whatever else has a name */
  files: z.number().min(0),
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

/** A tree deeper than 128 folders counts as over: nobody needs one. So does a folder that can't be looked into. */
export async function measureTree(tree: string, quota: Quota): Promise<TreeUsage> {
  const count: Count = { bytes: 0, files: 0, quota };
  await countInside(count, Buffer.from(tree), 0);
  return { bytes: count.bytes, files: count.files };
}

async function countInside(count: Count, place: Buffer, depth: number): Promise<void> {
  try {
    const folder = await holdFolder(place);
    if (folder !== null) await closingAfter(folder, countFolder(count, folder, depth));
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(errnoCode(error) ?? "")) throw error;
    countAsOver(count);
  }
}

function countAsOver(count: Count): void {
  count.files = Math.max(count.files, count.quota.files + 1);
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) countAsOver(count);
  const names = namesOf(folder);
  for await (const some of names) {
    if (exceeds(count, count.quota)) return;
    const inner = await Promise.all(some.map((name) => countEntry(count, folder, name)));
    for (const name of inner.filter((each) => each !== null)) {
      if (!exceeds(count, count.quota)) await countInside(count, childOf(folder, name), depth + 1);
    }
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

/** The next call counts before it begins. */
export function forgetUsage(place: string): Promise<void> {
  return rm(place, { force: true });
}
