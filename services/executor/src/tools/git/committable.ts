import { parseWorkspacePath } from "../../workspace/index.ts";
import type { ToolContext } from "../tool-body.ts";
import type { StatusEntry } from "./read-status.ts";

export interface Committable {
  readonly taken: readonly StatusEntry[];
  readonly leftOut: readonly StatusEntry[];
}

/**
 * What of the changes a commit takes: plain files, and files that are gone, where policy lets the run write. Links, repositories
 * within the tree, protected names and names that are no text are left out.
 */
export async function committable(
  context: ToolContext,
  entries: readonly StatusEntry[],
): Promise<Committable> {
  const taken: StatusEntry[] = [];
  const leftOut: StatusEntry[] = [];
  for (const entry of entries) ((await isCommittable(context, entry)) ? taken : leftOut).push(entry);
  return { taken, leftOut };
}

async function isCommittable(context: ToolContext, { path, kind }: StatusEntry): Promise<boolean> {
  // A name that ends with a slash is a repository.
  if (path.endsWith("/") || path.includes("\ufffd") || kind === "unmerged") return false;
  if (!parseWorkspacePath(path, "write").ok || !context.may("write", path)) return false;
  if (kind === "deleted") return true;
  const found = await context.files.stat(path);
  return found.ok && found.exists && found.type === "file";
}
