import { AirlockError } from "@airlock/core/fault";
import type { Tool } from "../tool-body.ts";
import { gitCommitTool, type Author } from "./git-commit.ts";
import { gitDiffTool } from "./git-diff.ts";
import { gitLogTool } from "./git-log.ts";
import { gitPushTool } from "./git-push.ts";
import { gitStatusTool } from "./git-status.ts";
import { readPushTargets } from "./push-targets.ts";

export interface GitSettings {
  /** `Name <address>` of every commit. */
  readonly commitAuthor: string;
  /** Where pushes of which sources go; empty: nothing is pushed. */
  readonly push: readonly string[];
  readonly pushCredentials: string;
}

/** The tools that depend on what the operator set. Throws CONFIG_INVALID. */
export function gitTools({ commitAuthor, push, pushCredentials }: GitSettings): ReadonlyMap<string, Tool> {
  return new Map<string, Tool>([
    ["git_commit", gitCommitTool(readAuthor(commitAuthor))],
    ["git_diff", gitDiffTool],
    ["git_log", gitLogTool],
    ["git_push", gitPushTool({ targets: readPushTargets(push), credentials: pushCredentials })],
    ["git_status", gitStatusTool],
  ]);
}

function readAuthor(text: string): Author {
  const [, name, email] = /^([^<>\p{Cc}]*[^<>\p{Cc}\s]) <([^<>\s\p{Cc}]+)>$/u.exec(text) ?? [];
  if (name !== undefined && email !== undefined) return { name, email };
  throw new AirlockError(
    "CONFIG_INVALID",
    "AIRLOCK_COMMIT_AUTHOR is no `Name <address>`, such as `Bot <bot@example.org>`",
  );
}
