import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import type { WorkspaceView } from "@airlock/core/policy";

/** A folder as it stands, for a look at what policy would say; the executor walks by descriptors instead. */
export function folderView(folder: string): WorkspaceView {
  return async (components) => {
    const place = path.join(folder, ...components);
    const stats = await lstat(place).catch(() => null);
    if (stats === null) return { kind: "missing" };
    return stats.isSymbolicLink() ? { kind: "link", target: await readlink(place) } : { kind: "other" };
  };
}
