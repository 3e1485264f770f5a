// A workspace and its quota in; a call with effects is refused while the tree holds too much, unless it removes something, and
// says so itself where it was the one that filled it. Files are counted as they are written, whole trees after a command.
import type { JsonObject } from "@airlock/core/json";
import type { Quota } from "@airlock/core/run";
import type { ToolManifest } from "@airlock/core/tool";
import type { ToolOutcome } from "../tools/index.ts";
import {
  exceeds,
  measureTree,
  readUsage,
  writeUsage,
  type ChangeResult,
  type TreeUsage,
  type Workspace,
  type WorkspaceFs,
} from "../workspace/index.ts";
import { toolClass } from "./tool-classes.ts";

export interface QuotaGuard {
  /** The same files, with what is written through them counted. */
  readonly files: WorkspaceFs;
  /** Why the call may not begin; null where it may. */
  refusal(manifest: Pick<ToolManifest, "name" | "effect">, args: JsonObject): Promise<string | null>;
  /** Counts what the call left behind, and adds a word to its outcome where that is too much. */
  counted(manifest: Pick<ToolManifest, "name" | "effect">, outcome: ToolOutcome): Promise<ToolOutcome>;
}

export function createQuotaGuard(
  workspace: Pick<Workspace, "tree" | "usage">,
  files: WorkspaceFs,
  quota: Quota,
): QuotaGuard {
  const written = { bytes: 0, files: 0 };
  const note = (change: ChangeResult): ChangeResult => {
    if (change.ok) {
      written.bytes += (change.after?.size ?? 0) - (change.before?.size ?? 0);
      written.files += Number(change.after !== null) - Number(change.before !== null);
    }
    return change;
  };
  const measure = async (): Promise<TreeUsage> => {
    const usage = await measureTree(workspace.tree, quota);
    await writeUsage(workspace.usage, usage);
    return usage;
  };
  const afterFiles = async (): Promise<TreeUsage> => {
    const before = await readUsage(workspace.usage);
    if (before === null) return measure();
    const usage = { bytes: before.bytes + written.bytes, files: before.files + written.files };
    // What was added up may be off; what is refused for it is counted.
    if (exceeds(before, quota) || exceeds(usage, quota)) return measure();
    await writeUsage(workspace.usage, usage);
    return usage;
  };
  return {
    files: {
      ...files,
      writeFile: async (...request) => note(await files.writeFile(...request)),
      deleteFile: async (path) => note(await files.deleteFile(path)),
    },
    async refusal(manifest, args) {
      if (manifest.effect === "read" || removes(manifest.name, args)) return null;
      const usage = (await readUsage(workspace.usage)) ?? (await measure());
      return exceeds(usage, quota) ? wordsOf(usage, quota) : null;
    },
    async counted(manifest, outcome) {
      if (manifest.effect === "read") return outcome;
      const count = toolClass(manifest.name) === "mutate" ? afterFiles : measure;
      // The call has had its effect: what can't be counted now is counted before the next one.
      const usage = await count().catch(() => null);
      if (usage === null || !exceeds(usage, quota) || !("content" in outcome)) return outcome;
      return { ...outcome, content: { ...outcome.content, quota: wordsOf(usage, quota) } };
    },
  };
}

/** The calls that can only make a tree smaller. */
function removes(tool: string, { argv }: JsonObject): boolean {
  return tool === "delete_file" || (tool === "run_command" && Array.isArray(argv) && argv[0] === "rm");
}

/** The counting stops where a limit is passed, so that each number is the least that it can be. */
function wordsOf(usage: TreeUsage, quota: Quota): string {
  return (
    `the workspace is over its quota: at least ${usage.bytes} of ${quota.bytes} bytes and ` +
    `${usage.files} of ${quota.files} files; further calls that write are refused until some are removed`
  );
}
