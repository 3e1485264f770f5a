import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import type { Entry, WorkspaceView } from "@airlock/core/policy";

/** A name that isn't there, or that the file system can't hold, leads nowhere; any other error is no answer. */
const LEADS_NOWHERE: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "EINVAL"]);

/** A folder as it stands, for a look at what policy would say; the executor walks by descriptors instead. */
export function folderView(folder: string): WorkspaceView {
  return async (components) => {
    try {
      return await entryAt(path.join(folder, ...components));
    } catch (error) {
      if (error instanceof Error && "code" in error && LEADS_NOWHERE.has(error.code))
        return { kind: "missing" };
      throw error;
    }
  };
}

async function entryAt(place: string): Promise<Entry> {
  const stats = await lstat(place);
  return stats.isSymbolicLink() ? { kind: "link", target: await readlink(place) } : { kind: "other" };
}
