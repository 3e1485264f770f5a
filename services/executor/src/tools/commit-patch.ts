import type { JsonObject } from "@airlock/core/json";
import type { ChangeResult, WorkspaceFs } from "../workspace/index.ts";
import { changeContent } from "./change-content.ts";
import { refuse, type ToolOutcome } from "./tool-body.ts";

export interface PatchStep {
  readonly path: string;
  /** Null: there was, or will be, no file. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  readonly executable: boolean;
  readonly wasExecutable: boolean;
}

export type Committed =
  | { readonly ok: true; readonly changes: readonly JsonObject[] }
  | { readonly ok: false; readonly outcome: ToolOutcome };

/** Writes what was planned. If the tree changed under the plan, what was written is taken back. */
export async function commitPatch(files: WorkspaceFs, steps: readonly PatchStep[]): Promise<Committed> {
  const changes: JsonObject[] = [];
  for (const [index, step] of steps.entries()) {
    const change = await put(files, step.path, { bytes: step.after, executable: step.executable });
    if (!change.ok) return takeBack(files, steps.slice(0, index), `${step.path}: ${change.detail}`);
    changes.push(changeContent(step.path, change));
  }
  return { ok: true, changes };
}

async function takeBack(files: WorkspaceFs, done: readonly PatchStep[], why: string): Promise<Committed> {
  for (const step of done.toReversed()) {
    const restored = await put(files, step.path, { bytes: step.before, executable: step.wasExecutable });
    if (!restored.ok) {
      const detail = `${why}; and what was written before could not be taken back`;
      return { ok: false, outcome: { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail } };
    }
  }
  return { ok: false, outcome: refuse("PATCH_REFUSED", why) };
}

function put(
  files: WorkspaceFs,
  path: string,
  content: { readonly bytes: Uint8Array | null; readonly executable: boolean },
): Promise<ChangeResult> {
  if (content.bytes === null) return files.deleteFile(path);
  return files.writeFile(path, content.bytes, { executable: content.executable });
}
