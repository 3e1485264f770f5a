import { lstat, readlink, type FileHandle } from "node:fs/promises";
import type { Entry } from "@airlock/core/policy";
import { below, closingAfter, errnoCode, holdDirectory } from "./held-directory.ts";

/** One entry as the descriptor walk finds it; what can't be reached without following a link counts as missing. */
export async function lookAt(root: FileHandle, components: readonly string[]): Promise<Entry> {
  const name = components.at(-1);
  if (name === undefined) return { kind: "other" };
  const parent = await holdDirectory({ root, components: components.slice(0, -1), create: null });
  if (!parent.ok) return { kind: "missing" };
  return closingAfter(parent.handle, entryAt(below(parent.handle, name)));
}

async function entryAt(path: string): Promise<Entry> {
  try {
    const stats = await lstat(path);
    return stats.isSymbolicLink() ? { kind: "link", target: await readlink(path) } : { kind: "other" };
  } catch (error) {
    const code = errnoCode(error);
    // a name that the file system can't hold, or that went away, leads nowhere
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "EINVAL")
      return { kind: "missing" };
    throw error;
  }
}
