import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  below,
  closingAfter,
  holdDirectory,
  holdEntry,
  refusalFor,
  reopenForReading,
} from "./held-directory.ts";
import { parseWorkspacePath, refusePath, touchesTrustedConfig, type PathRefusal } from "./path-rules.ts";
import { entryType, isExecutable, type EntryType } from "./read-entry.ts";
import type { OpenTree, WriteOptions } from "./open-tree.ts";

/** `sha256` is null for what has no content of its own (a link) or is too large to hash at every write. */
export interface FileState {
  readonly type: EntryType;
  readonly size: number;
  readonly sha256: string | null;
  readonly executable: boolean;
}

export interface Change {
  readonly ok: true;
  readonly before: FileState | null;
  readonly after: FileState | null;
  readonly touchesTrustedConfig: boolean;
}

export type ChangeResult = Change | PathRefusal;

interface Target {
  readonly ok: true;
  readonly directory: FileHandle;
  readonly leaf: string;
  readonly flagged: boolean;
}

export type StateResult = { readonly ok: true; readonly state: FileState | null } | PathRefusal;

const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/** Writes beside the tree, then renames into a held directory: no reader and no crash sees half a file. */
export async function writeWorkspaceFile(
  open: OpenTree,
  path: string,
  content: { readonly bytes: Uint8Array; readonly options: WriteOptions | null },
): Promise<ChangeResult> {
  const target = await holdTarget(open, path, { owner: open.owner });
  if (!target.ok) return target;
  try {
    const existing = await inspect(target);
    if (!existing.ok) return existing;
    const executable = content.options?.executable ?? existing.state?.executable ?? false;
    const staged = await stage(open, content.bytes, executable ? 0o755 : 0o644);
    await rename(staged, below(target.directory, target.leaf)).catch(async (error: unknown) => {
      await rm(staged, { force: true });
      throw error;
    });
    const after = {
      type: "file" as const,
      size: content.bytes.byteLength,
      sha256: sha256(content.bytes),
      executable,
    };
    return { ok: true, before: existing.state, after, touchesTrustedConfig: target.flagged };
  } catch (error) {
    return refusalFor(error, "file");
  } finally {
    await target.directory.close();
  }
}

/** Removes a name, not what a link points to; directories stay. */
export async function deleteWorkspaceFile(open: OpenTree, path: string): Promise<ChangeResult> {
  const target = await holdTarget(open, path, null);
  if (!target.ok) return target;
  try {
    const existing = await inspect(target);
    if (!existing.ok) return existing;
    if (existing.state === null) return refusePath("the file does not exist", true);
    await unlink(below(target.directory, target.leaf));
    return { ok: true, before: existing.state, after: null, touchesTrustedConfig: target.flagged };
  } catch (error) {
    return refusalFor(error, "file");
  } finally {
    await target.directory.close();
  }
}

/** What a write would replace. A path whose parents are missing has none; one that no write may take is refused. */
export async function workspaceFileState(open: OpenTree, path: string): Promise<StateResult> {
  const target = await holdTarget(open, path, null);
  if (!target.ok) return target.missing ? { ok: true, state: null } : target;
  return closingAfter(target.directory, inspect(target));
}

async function holdTarget(
  open: OpenTree,
  path: string,
  create: { readonly owner: OpenTree["owner"] } | null,
): Promise<Target | PathRefusal> {
  const parsed = parseWorkspacePath(path, "write");
  if (!parsed.ok) return parsed;
  const leaf = parsed.components.at(-1);
  if (leaf === undefined) return refusePath("the path names no file");
  const components = parsed.components.slice(0, -1);
  const directory = await holdDirectory({ root: open.root, components, create });
  if (!directory.ok) return directory;
  const flagged = touchesTrustedConfig(parsed.components);
  return { ok: true, directory: directory.handle, leaf, flagged };
}

async function inspect(target: Target): Promise<StateResult> {
  const entry = await holdEntry(target.directory, target.leaf);
  if (!entry.ok) {
    return entry.missing ? { ok: true, state: null } : entry;
  }
  try {
    const stats = await entry.handle.stat();
    const type = entryType(stats);
    if (type === "directory") return refusePath("the path is a directory");
    if (type === "other") return refusePath("the path is not a plain file");
    const hashed = type === "file" && stats.size <= MAX_HASHED_BYTES;
    const digest = hashed ? await hashHeld(entry.handle) : null;
    const executable = type === "file" && isExecutable(stats);
    return { ok: true, state: { type, size: stats.size, sha256: digest, executable } };
  } finally {
    await entry.handle.close();
  }
}

async function hashHeld(entry: FileHandle): Promise<string> {
  const file = await reopenForReading(entry);
  const hash = createHash("sha256");
  // `end` bounds a file that grows while it is read; the stream closes the file.
  await pipeline(file.createReadStream({ end: MAX_HASHED_BYTES }), hash);
  return hash.digest("hex");
}

async function stage(tree: OpenTree, bytes: Uint8Array, mode: number): Promise<string> {
  const path = join(tree.staging, `write-${randomUUID()}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    if (tree.owner !== null) await file.chown(tree.owner.uid, tree.owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
