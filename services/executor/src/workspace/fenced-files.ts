import type { PathRefusal } from "./path-rules.ts";
import type { WorkspaceFs } from "./workspace-fs.ts";

const LOST: PathRefusal = {
  ok: false,
  errorClass: "CLAIM_LOST",
  detail: "another executor holds the call; the file was not touched",
  missing: false,
};

/**
 * The same files for one call: right before each single change it is asked whether the call still holds its lease, and
 * with it the workspace's; one that doesn't changes nothing any more. Reads are asked nothing.
 */
export function fencedFiles(files: WorkspaceFs, holds: () => Promise<boolean>): WorkspaceFs {
  return {
    ...files,
    writeFile: async (...request) => ((await holds()) ? files.writeFile(...request) : LOST),
    moveFile: async (...request) => ((await holds()) ? files.moveFile(...request) : LOST),
    deleteFile: async (path) => ((await holds()) ? files.deleteFile(path) : LOST),
  };
}
