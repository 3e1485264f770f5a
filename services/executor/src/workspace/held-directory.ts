import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { chmod, mkdir, open, stat, type FileHandle } from "node:fs/promises";
import { refusePath, type PathRefusal } from "./path-rules.ts";
import type { ServiceUser } from "./service-user.ts";

/**
 * Walks a tree that somebody hostile changes at the same time: every step opens one name below a directory that is
 * already held, through `/proc/self/fd`, and follows no link. Node has no `openat`; this is its equivalent.
 */

/** Linux's O_PATH, which `fs.constants` lacks: a handle that names an inode without opening it. */
const O_PATH = 0o10_000_000;
const HELD_DIRECTORY = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;
const NEW_DIRECTORY_MODE = 0o755;
const OWNER_ALL = 0o700;

export type HeldDirectory = { readonly ok: true; readonly handle: FileHandle } | PathRefusal;
export type HeldEntry = { readonly ok: true; readonly handle: FileHandle } | PathRefusal;

export function openRoot(path: string): Promise<FileHandle> {
  return open(path, HELD_DIRECTORY);
}

export async function closingAfter<Value>(handle: FileHandle, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } finally {
    await handle.close();
  }
}

/** The name of `child` below the held directory, for any call of `fs` that doesn't follow its last component. */
export function below(directory: FileHandle, child: string): string {
  return `/proc/self/fd/${directory.fd}/${child}`;
}

/** As `below`, for a name that may be no text. */
export function childOf(directory: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory.fd}/`), name]);
}

/**
 * A folder, opened up where its owner had closed it to himself: no mode hides what is in it. Null for what is no folder
 * or is gone; throws EPERM for a closed one of somebody else's.
 */
export async function holdFolder(place: Buffer | string): Promise<FileHandle | null> {
  const held = await open(place, HELD_DIRECTORY).catch((error: unknown) => {
    if (["ENOTDIR", "ELOOP", "ENOENT"].includes(errnoCode(error) ?? "")) return null;
    throw error;
  });
  if (held === null) return null;
  try {
    const itself = `/proc/self/fd/${held.fd}`;
    const mode = (await stat(itself)).mode & 0o7777;
    if ((mode & OWNER_ALL) !== OWNER_ALL) await chmod(itself, mode | OWNER_ALL);
    return held;
  } catch (error) {
    await held.close();
    throw error;
  }
}

export interface WalkRequest {
  readonly root: FileHandle;
  readonly components: readonly string[];
  /** Missing directories are made, and given to this owner; `null` refuses them. */
  readonly create: { readonly owner: ServiceUser | null } | null;
}

/** The caller closes the handle. */
export async function holdDirectory(request: WalkRequest): Promise<HeldDirectory> {
  let held = await open(`/proc/self/fd/${request.root.fd}`, O_PATH | constants.O_DIRECTORY);
  for (const name of request.components) {
    const next = await closingAfter(held, step(held, name, request.create));
    if (!next.ok) return next;
    held = next.handle;
  }
  return { ok: true, handle: held };
}

async function step(held: FileHandle, name: string, create: WalkRequest["create"]): Promise<HeldDirectory> {
  try {
    return { ok: true, handle: await open(below(held, name), HELD_DIRECTORY) };
  } catch (error) {
    if (create === null || errnoCode(error) !== "ENOENT") return refusalFor(error, "directory");
  }
  try {
    await mkdir(below(held, name), { mode: NEW_DIRECTORY_MODE }).catch(ignoreExisting);
    if (create.owner !== null) await giveTo(below(held, name), create.owner);
    return { ok: true, handle: await open(below(held, name), HELD_DIRECTORY) };
  } catch (error) {
    return refusalFor(error, "directory");
  }
}

async function giveTo(path: string, owner: ServiceUser): Promise<void> {
  const made = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  await closingAfter(made, made.chown(owner.uid, owner.gid));
}

/** Holds one entry without opening it: no FIFO blocks, no device wakes. The caller closes the handle. */
export async function holdEntry(directory: FileHandle, name: string): Promise<HeldEntry> {
  try {
    return { ok: true, handle: await open(below(directory, name), O_PATH | constants.O_NOFOLLOW) };
  } catch (error) {
    return refusalFor(error, "file");
  }
}

/** Opens the very inode that is held, whatever its name has become since. */
export function reopenForReading(entry: FileHandle): Promise<FileHandle> {
  return open(`/proc/self/fd/${entry.fd}`, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}

const REFUSED_ERRNO = {
  EACCES: "may not be opened",
  EEXIST: "exists already",
  EISDIR: "is a directory",
  ELOOP: "is a symbolic link, which is not followed",
  ENAMETOOLONG: "has a name that is too long",
  ENOENT: "does not exist",
  ENOTDIR: "is not a directory, or is a symbolic link, which is not followed",
  ENOTEMPTY: "is a directory that is not empty",
  EPERM: "may not be opened",
} as const satisfies Record<string, string>;

/** What a hostile or mistaken path can cause becomes a value, and so does a full disk; a broken one is thrown. */
export function refusalFor(error: unknown, what: "file" | "directory"): PathRefusal {
  if (isDiskFull(error)) {
    const detail = "the executor's volume has no room left; the file was not written";
    return { ok: false, errorClass: "DISK_FULL", detail, missing: false };
  }
  const code = errnoCode(error);
  if (code === null || !isRefusedErrno(code)) throw error;
  return refusePath(`the ${what} ${REFUSED_ERRNO[code]}`, code === "ENOENT");
}

function isRefusedErrno(code: string): code is keyof typeof REFUSED_ERRNO {
  return Object.hasOwn(REFUSED_ERRNO, code);
}

export function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errnoCode(error) ?? "");
}

export function errnoCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

function ignoreExisting(error: unknown): void {
  // Somebody else made it in the meantime; the next open decides whether it is a directory.
  if (errnoCode(error) !== "EEXIST") throw error;
}
