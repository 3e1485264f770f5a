// A folder that somebody hostile filled in, nothing out: it is gone afterwards. Removes names only: no link is followed,
// no path of more than one component is ever looked up, so depth, links and strange names change nothing.
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { lstat, opendir, rename, rmdir, unlink, type FileHandle } from "node:fs/promises";
import { dirname, basename } from "node:path";
import { childOf, closingAfter, errnoCode, holdFolder, openRoot } from "./held-directory.ts";

/** Names read at a time, so that a folder with a million entries costs no more memory than one with these. */
const BATCH = 4_096;
const AT_ONCE = 32;

/** May be repeated after a crash, and where nothing is left. */
export async function removeTree(path: string): Promise<void> {
  const parent = await openRoot(dirname(path));
  await closingAfter(parent, removeNamed(parent, Buffer.from(basename(path))));
}

async function removeNamed(parent: FileHandle, name: Buffer): Promise<void> {
  const place = childOf(parent, name);
  const root = await holdFolder(place);
  if (root === null) return ignoring(["ENOENT"], unlink(place));
  await closingAfter(root, empty(root));
  await ignoring(["ENOENT"], rmdir(place));
}

/** A folder inside is moved up beside the others before it is emptied: nothing is ever more than one level deep. */
async function empty(root: FileHandle): Promise<void> {
  const moveUp = (from: FileHandle, name: Buffer): Promise<void> =>
    rename(childOf(from, name), childOf(root, Buffer.from(`.removing-${randomUUID()}`)));
  for (let names = await someNames(root); names.length > 0; names = await someNames(root)) {
    for (const name of names) {
      const folder = await holdFolder(childOf(root, name));
      if (folder === null) await ignoring(["ENOENT"], unlink(childOf(root, name)));
      else {
        await closingAfter(folder, flatten(folder, moveUp));
        await ignoring(["ENOENT"], rmdir(childOf(root, name)));
      }
    }
  }
}

async function flatten(
  folder: FileHandle,
  moveUp: (from: FileHandle, name: Buffer) => Promise<void>,
): Promise<void> {
  const remove = async (name: Buffer): Promise<void> => {
    const place = childOf(folder, name);
    if (!(await lstat(place)).isDirectory()) return unlink(place);
    // moving a folder writes its entry `..`
    const inner = await holdFolder(place);
    await inner?.close();
    return moveUp(folder, name);
  };
  for (let names = await someNames(folder); names.length > 0; names = await someNames(folder)) {
    for (let at = 0; at < names.length; at += AT_ONCE) {
      await Promise.all(names.slice(at, at + AT_ONCE).map((name) => ignoring(["ENOENT"], remove(name))));
    }
  }
}

async function someNames(folder: FileHandle): Promise<readonly Buffer[]> {
  const names: Buffer[] = [];
  // Latin-1 keeps each byte of a name.
  for await (const entry of await opendir(`/proc/self/fd/${folder.fd}`, {
    encoding: "latin1",
    bufferSize: 512,
  })) {
    names.push(Buffer.from(entry.name, "latin1"));
    if (names.length >= BATCH) break;
  }
  return names;
}

async function ignoring(codes: readonly string[], work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!codes.includes(errnoCode(error) ?? "")) throw error;
  }
}
