import { Buffer } from "node:buffer";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import {
  closingAfter,
  holdDirectory,
  holdEntry,
  refusalFor,
  reopenForReading,
  type HeldEntry,
} from "./held-directory.ts";
import { parseWorkspacePath, refusePath, type PathRefusal } from "./path-rules.ts";

export interface FileContent {
  readonly ok: true;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export type ReadResult = FileContent | PathRefusal;

export type EntryType = "file" | "directory" | "symlink" | "other";

export type StatResult =
  | { readonly ok: true; readonly exists: false }
  | { readonly ok: true; readonly exists: true; readonly type: EntryType; readonly size: number }
  | PathRefusal;

const ANY_EXECUTE = 0o111;

export async function readWorkspaceFile(
  root: FileHandle,
  path: string,
  maxBytes: number,
): Promise<ReadResult> {
  const entry = await holdByPath(root, path);
  if (!entry.ok) return entry;
  return closingAfter(entry.handle, readHeld(entry.handle, maxBytes));
}

/** Reads what is held; refuses what isn't one plain, singly linked file of at most `maxBytes`. */
async function readHeld(entry: FileHandle, maxBytes: number): Promise<ReadResult> {
  const stats = await entry.stat();
  const refusal = refuseToRead(stats);
  if (refusal !== null) return refusal;
  if (stats.size > maxBytes)
    return refusePath(`the file has ${stats.size} bytes, the limit is ${maxBytes} bytes`);
  try {
    const file = await reopenForReading(entry);
    const bytes = await closingAfter(file, readUpTo(file, maxBytes + 1));
    if (bytes.byteLength > maxBytes) return refusePath(`the file grew beyond the limit of ${maxBytes} bytes`);
    return { ok: true, bytes, executable: isExecutable(stats) };
  } catch (error) {
    return refusalFor(error, "file");
  }
}

function refuseToRead(stats: Stats): PathRefusal | null {
  const type = entryType(stats);
  if (type === "symlink") return refusePath("the file is a symbolic link, which is not followed");
  if (type === "directory") return refusePath("the path is a directory");
  if (type === "other") return refusePath("the path is not a plain file");
  // A second name of the same inode may lie outside the tree.
  return stats.nlink > 1 ? refusePath("the file has a second hard link") : null;
}

async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, limit - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks, total);
}

/** A missing entry is an answer here, not a refusal. */
export async function statWorkspaceEntry(root: FileHandle, path: string): Promise<StatResult> {
  const parsed = parseWorkspacePath(path, "read");
  if (!parsed.ok) return parsed;
  const entry = await holdByPath(root, path);
  if (!entry.ok) return entry.missing ? { ok: true, exists: false } : entry;
  const stats = await closingAfter(entry.handle, entry.handle.stat());
  return { ok: true, exists: true, type: entryType(stats), size: stats.size };
}

async function holdByPath(root: FileHandle, path: string): Promise<HeldEntry> {
  const parsed = parseWorkspacePath(path, "read");
  if (!parsed.ok) return parsed;
  const leaf = parsed.components.at(-1);
  const parents = parsed.components.slice(0, -1);
  const directory = await holdDirectory({ root, components: parents, create: null });
  if (!directory.ok || leaf === undefined) return directory;
  return closingAfter(directory.handle, holdEntry(directory.handle, leaf));
}

export function isExecutable(stats: Stats): boolean {
  return (stats.mode & ANY_EXECUTE) !== 0;
}

export function entryType(stats: Stats): EntryType {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "symlink" : "other";
}
