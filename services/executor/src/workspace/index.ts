export { fencedFiles } from "./fenced-files.ts";
export { openWorkspaceFs, type WorkspaceFs } from "./workspace-fs.ts";
export { parseWorkspacePath, touchesTrustedConfig } from "./path-rules.ts";
export { prepareWorkspace, type Workspace } from "./prepare-workspace.ts";
export { preparedPlaces, removePrepared, type RunPrepare } from "./prepared-folders.ts";
export { emptyWorkspace, forgetWorkspace, pruneRefs, removeAbandoned } from "./remove-workspace.ts";
export { removeTree } from "./remove-tree.ts";
export { readRecord, type WorkspaceRecord } from "./workspace-record.ts";
export {
  buildingPlaces,
  commitsPlace,
  mirrorPlace,
  repositoryPlaces,
  workspacePlaces,
  workspaceRuns,
} from "./workspace-places.ts";
export { compareTree, type Comparison } from "./tree-diff.ts";
export { commitRun } from "./commit-run.ts";
export { createTrustedGit, trustedGitEnvironment } from "./trusted-git.ts";
export { exists } from "./mirror.ts";
export { exceeds, forgetUsage, measureTree, readUsage, writeUsage, type TreeUsage } from "./tree-usage.ts";
export { isDiskFull } from "./held-directory.ts";
export { lockVolume, type VolumeLock } from "./volume-lock.ts";
export { makePrivateDirectory } from "./ownership.ts";
export { defaultServiceUser, type ServiceUser } from "./service-user.ts";
export type { Change, ChangeResult, FileState } from "./write-entry.ts";
