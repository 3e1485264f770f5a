export { openWorkspaceFs, type WorkspaceFs } from "./workspace-fs.ts";
export { parseWorkspacePath, touchesTrustedConfig } from "./path-rules.ts";
export { prepareWorkspace, removeWorkspace, type Workspace } from "./prepare-workspace.ts";
export { makePrivateDirectory } from "./ownership.ts";
export { trustedGitEnvironment } from "./trusted-git.ts";
export { defaultServiceUser, type ServiceUser } from "./service-user.ts";
export type { Change, ChangeResult, FileState } from "./write-entry.ts";
