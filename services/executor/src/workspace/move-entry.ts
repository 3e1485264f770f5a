import { rename } from "node:fs/promises";
import { below, refusalFor } from "./held-directory.ts";
import type { OpenTree } from "./open-tree.ts";
import { refusePath, type PathRefusal } from "./path-rules.ts";
import { holdTarget, inspect, type Change, type Target } from "./write-entry.ts";

export type MoveResult = { readonly ok: true; readonly from: Change; readonly to: Change } | PathRefusal;

/**
 * Renames one plain file between two held directories, so that no link on either side is followed and its bytes and
 * mode are never touched. What holds the workspace alone can rely on the new place staying free in between.
 */
export async function moveWorkspaceFile(open: OpenTree, from: string, to: string): Promise<MoveResult> {
  const source = await holdTarget(open, from, null);
  if (!source.ok) return source;
  try {
    const target = await holdTarget(open, to, { owner: open.owner });
    if (!target.ok) return target;
    try {
      return await moveHeld(source, target);
    } finally {
      await target.directory.close();
    }
  } catch (error) {
    return refusalFor(error, "file");
  } finally {
    await source.directory.close();
  }
}

async function moveHeld(source: Target, target: Target): Promise<MoveResult> {
  const moved = await inspect(source);
  if (!moved.ok) return moved;
  if (moved.state === null) return refusePath("the file does not exist", true);
  if (moved.state.type !== "file") return refusePath("the path is not a plain file");
  const taken = await inspect(target);
  if (!taken.ok) return taken;
  if (taken.state !== null) return refusePath("there is a file at the new path already");
  await rename(below(source.directory, source.leaf), below(target.directory, target.leaf));
  const from = { ok: true, before: moved.state, after: null, touchesTrustedConfig: source.flagged } as const;
  const to = { ok: true, before: null, after: moved.state, touchesTrustedConfig: target.flagged } as const;
  return { ok: true, from, to };
}
