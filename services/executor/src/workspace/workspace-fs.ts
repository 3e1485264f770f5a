import type { WorkspaceView } from "@airlock/core/policy";
import { lookAt } from "./look-at.ts";
import { openRoot } from "./held-directory.ts";
import { listEntries, type ListResult } from "./list-entries.ts";
import type { OpenTree, WriteOptions } from "./open-tree.ts";
import type { PathRefusal } from "./path-rules.ts";
import { readWorkspaceFile, statWorkspaceEntry, type ReadResult, type StatResult } from "./read-entry.ts";
import type { ServiceUser } from "./service-user.ts";
import {
  deleteWorkspaceFile,
  workspaceFileState,
  writeWorkspaceFile,
  type ChangeResult,
  type StateResult,
} from "./write-entry.ts";

/**
 * The only way in which the executor itself touches a workspace's tree. Paths from a model in, bytes and metadata
 * out; whatever would leave the tree, follow a link or wake a device is a refusal, which is a value.
 */
export interface WorkspaceFs {
  readFile(path: string, limits: { readonly maxBytes: number }): Promise<ReadResult>;
  stat(path: string): Promise<StatResult>;
  /** Type, size, digest and executable bit of what a write to this path would replace. */
  state(path: string): Promise<StateResult>;
  /** What stands at a place whose parents are no links, without following it. */
  readonly look: WorkspaceView;
  list(
    path: string,
    limits: { readonly depth: number; readonly maxEntries: number },
  ): Promise<ListResult | PathRefusal>;
  /** Makes missing parents; keeps the executable bit of what it replaces; replaces a link instead of following it. */
  writeFile(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<ChangeResult>;
  deleteFile(path: string): Promise<ChangeResult>;
  close(): Promise<void>;
}

export async function openWorkspaceFs(place: {
  readonly tree: string;
  readonly staging: string;
  readonly serviceUser: ServiceUser | null;
}): Promise<WorkspaceFs> {
  const root = await openRoot(place.tree);
  const open: OpenTree = { root, staging: place.staging, owner: place.serviceUser };
  return {
    readFile: (path, limits) => readWorkspaceFile(root, path, limits.maxBytes),
    look: (components) => lookAt(root, components),
    stat: (path) => statWorkspaceEntry(root, path),
    state: (path) => workspaceFileState(open, path),
    list: (path, limits) => listEntries(root, path, limits),
    writeFile: (path, bytes, options) => writeWorkspaceFile(open, path, { bytes, options: options ?? null }),
    deleteFile: (path) => deleteWorkspaceFile(open, path),
    close: () => root.close(),
  };
}
