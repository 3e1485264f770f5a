// A workspace and its quota in; a call with effects is refused while tree and git dir hold too much, unless it removes something, and
// says so itself where it was the one that filled it. Files are counted as they are written, whole trees after a command.
import type { JsonObject } from "@airlock/core/json";
import type { Quota } from "@airlock/core/run";
import type { ToolManifest } from "@airlock/core/tool";
import type { ToolOutcome } from "../tools/index.ts";
import {
  exceeds,
  forgetUsage,
  readUsage,
  type TreeUsage,
  type Workspace,
  type WorkspaceFs,
} from "../workspace/index.ts";
import { toolClass } from "./tool-classes.ts";
import { createUsageCount } from "./usage-count.ts";

export interface QuotaGuard {
  /** The same files, with what is written through them counted. */
  readonly files: WorkspaceFs;
  /** Why the call may not begin; null where it may. */
  refusal(manifest: Pick<ToolManifest, "name" | "effect">, args: JsonObject): Promise<string | null>;
  /** Counts what the call left behind, and adds a word to its outcome where that is too much. */
  counted(manifest: Pick<ToolManifest, "name" | "effect">, outcome: ToolOutcome): Promise<ToolOutcome>;
}

export function createQuotaGuard(
  workspace: Pick<Workspace, "tree" | "gitDir" | "usage">,
  files: WorkspaceFs,
  quota: Quota,
): QuotaGuard {
  const count = createUsageCount(workspace, files, quota);
  return {
    files: count.files,
    async refusal(manifest, args) {
      if (manifest.effect === "read") return null;
      if (!removes(manifest.name, args)) {
        const usage = (await readUsage(workspace.usage)) ?? (await count.ofAll());
        if (exceeds(usage, quota)) return wordsOf(usage, quota);
      }
      if (toolClass(manifest.name) !== "mutate") await forgetUsage(workspace.usage);
      return null;
    },
    async counted(manifest, outcome) {
      if (manifest.effect === "read") return outcome;
      const measured = toolClass(manifest.name) === "mutate" ? count.ofFiles() : count.ofAll();
      // The call has had its effect: what can't be counted now is counted before the next one.
      const usage = await measured.catch(() => null);
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
