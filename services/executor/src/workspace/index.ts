export { openWorkspaceFs, type WorkspaceFs } from "./workspace-fs.ts";
export { parseWorkspacePath, type PathRefusal, type WorkspacePath } from "./path-rules.ts";
export {
  prepareWorkspace,
  removeWorkspace,
  type Workspace,
  type WorkspaceRequest,
} from "./prepare-workspace.ts";
export { assertReachable, makePrivateDirectory } from "./ownership.ts";
export { defaultServiceUser, type ServiceUser } from "./service-user.ts";
export type { Change, ChangeResult, FileState } from "./write-entry.ts";
export type { ListedEntry, ListResult } from "./list-entries.ts";
export type { EntryType, ReadResult, StatResult } from "./read-entry.ts";
