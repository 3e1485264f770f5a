// A call's workspace in, what it holds after the call out. What is not known for sure is forgotten first, and then counted
// before the next call: no crash and no failed count keeps an old number.
import type { Quota } from "@airlock/core/run";
import {
  exceeds,
  forgetUsage,
  measureTree,
  readUsage,
  writeUsage,
  type Change,
  type ChangeResult,
  type TreeUsage,
  type Workspace,
  type WorkspaceFs,
} from "../workspace/index.ts";

export interface UsageCount {
  /** The same files, with what is written through them added up. */
  readonly files: WorkspaceFs;
  /** By that sum, where it is under the quota. */
  ofFiles(): Promise<TreeUsage>;
  /** By a walk. */
  ofAll(): Promise<TreeUsage>;
}

export function createUsageCount(
  workspace: Pick<Workspace, "tree" | "gitDir" | "usage">,
  files: WorkspaceFs,
  quota: Quota,
): UsageCount {
  const written = { bytes: 0, files: 0 };
  let before: TreeUsage | null = null;
  const counting = async (path: string, change: () => Promise<ChangeResult>): Promise<ChangeResult> => {
    before ??= await readUsage(workspace.usage);
    await forgetUsage(workspace.usage);
    const result = await change();
    if (result.ok) add(written, path, result);
    return result;
  };
  const ofAll = async (): Promise<TreeUsage> => {
    await forgetUsage(workspace.usage);
    const inTree = await measureTree(workspace.tree, quota);
    // What was committed and then deleted takes the disk as well.
    const inGit = await measureTree(workspace.gitDir, quota);
    const usage = { bytes: inTree.bytes + inGit.bytes, files: inTree.files + inGit.files };
    await writeUsage(workspace.usage, usage);
    return usage;
  };
  const ofFiles = async (): Promise<TreeUsage> => {
    const known = before ?? (await readUsage(workspace.usage));
    if (known === null) return ofAll();
    const usage = { bytes: known.bytes + written.bytes, files: Math.max(0, known.files + written.files) };
    // What was added up may be too much; what is refused for it is counted.
    if (exceeds(known, quota) || exceeds(usage, quota)) return ofAll();
    await writeUsage(workspace.usage, usage);
    return usage;
  };
  return {
    files: {
      ...files,
      writeFile: (path, ...more) => counting(path, () => files.writeFile(path, ...more)),
      deleteFile: (path) => counting(path, () => files.deleteFile(path)),
    },
    ofFiles,
    ofAll,
  };
}

/** Never too little: a file that is replaced or deleted may take none of the disk that its length says, and counts for nothing. */
function add(
  written: { bytes: number; files: number },
  path: string,
  { before, after }: Pick<Change, "before" | "after">,
): void {
  written.bytes += after?.size ?? 0;
  if (before === null && after !== null) written.files += path.split("/").length; // missing parents too
  if (before !== null && after === null) written.files -= 1;
}
