import type { FileHandle } from "node:fs/promises";
import type { ServiceUser } from "./service-user.ts";

export interface WriteOptions {
  readonly executable: boolean;
}

export interface OpenTree {
  readonly root: FileHandle;
  /** Outside the tree, on its file system: what is being written is out of the agent's reach until it is whole. */
  readonly staging: string;
  readonly owner: ServiceUser | null;
}
