// A hostile tree in, the names of its FIFOs, sockets and devices out, which are gone afterwards: git can't store them, and
// waits for ever where one of them has a name that it reads, such as `.gitignore` or `.git/HEAD`. No link is followed.
import { Buffer } from "node:buffer";
import { opendir, unlink, type FileHandle } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { childOf, closingAfter, errnoCode, holdFolder } from "./held-directory.ts";

/** No path has more components: what lies deeper can be reached by no name that git could open. */
const MAX_DEPTH = 2_048;

export interface Removed {
  /** of the first ones, relative to the tree; bytes that are no text are replaced */
  readonly names: readonly string[];
  readonly total: number;
}

interface Walk {
  readonly names: string[];
  readonly listed: number;
  total: number;
}

/** Nothing may run in the tree meanwhile. Folders that are closed to their owner are opened up. */
export async function removeSpecials(tree: string, listed: number): Promise<Removed> {
  const walk: Walk = { names: [], listed, total: 0 };
  await enter(walk, Buffer.from(tree), []);
  return { names: walk.names, total: walk.total };
}

async function enter(walk: Walk, place: Buffer, path: readonly Buffer[]): Promise<void> {
  if (path.length > MAX_DEPTH) return;
  const folder = await holdFolder(place).catch((error: unknown) => {
    // Another user's, closed to this one: then git can't look into it either.
    if (["EACCES", "EPERM"].includes(errnoCode(error) ?? "")) return null;
    throw error;
  });
  if (folder !== null) await closingAfter(folder, empty(walk, folder, path));
}

async function empty(walk: Walk, folder: FileHandle, path: readonly Buffer[]): Promise<void> {
  const folders: Buffer[] = [];
  // Latin-1 keeps each byte of a name.
  for await (const entry of await opendir(`/proc/self/fd/${folder.fd}`, { encoding: "latin1" })) {
    const name = Buffer.from(entry.name, "latin1");
    if (entry.isDirectory()) folders.push(name);
    if (!isSpecial(entry)) continue;
    await unlink(childOf(folder, name));
    walk.total += 1;
    if (walk.names.length < walk.listed) walk.names.push([...path, name].map(String).join("/"));
  }
  for (const name of folders) await enter(walk, childOf(folder, name), [...path, name]);
}

function isSpecial(entry: Dirent): boolean {
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}
