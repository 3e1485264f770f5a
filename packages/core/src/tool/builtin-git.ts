import { closed, GIT_LIMITS, NO_CLAIMS, pathArgument, wholeNumber } from "./builtin-parts.ts";
import type { ToolManifest } from "./manifest.ts";

/** HEAD, a commit before it, or a commit id. */
const REVISION = "^(HEAD(~[0-9]{1,4})?|[0-9a-f]{7,64})$";

const GIT_STATUS: ToolManifest = {
  name: "git_status",
  description:
    "List what differs from the last commit: changed, new and deleted files. " +
    "Also returns the current commit and the commit that the run began with. Use git_diff to see the changes themselves.",
  inputSchema: closed({}, []),
  effect: "read",
  claims: { ...NO_CLAIMS, workspace: "read" },
  limits: GIT_LIMITS,
  origin: { kind: "builtin" },
};

const GIT_DIFF: ToolManifest = {
  name: "git_diff",
  description:
    "Show as a unified diff how files of the workspace differ from a commit. " +
    "New files that were never committed are not part of it: git_status lists them, read_file shows them. " +
    "Narrow a large diff by its path.",
  inputSchema: closed(
    {
      path: pathArgument("The file or folder to compare; '.' is the whole workspace."),
      base: {
        type: "string",
        pattern: REVISION,
        description:
          "The commit to compare with: HEAD (the default), HEAD~n, or a commit id. " +
          "git_status tells the commit that the run began with.",
      },
      contextLines: wholeNumber(0, 50, "Unchanged lines around each change. Default: 3."),
    },
    ["path"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"], workspace: "read" },
  limits: GIT_LIMITS,
  origin: { kind: "builtin" },
};

const GIT_LOG: ToolManifest = {
  name: "git_log",
  description:
    "List commits, the newest first: id, author, date, message and the files that each one changed. " +
    "With a path, only those that changed it.",
  inputSchema: closed(
    {
      path: pathArgument("The file or folder whose commits to list; '.' lists all."),
      start: { type: "string", pattern: REVISION, description: "The commit to start at. Default: HEAD." },
      maxCount: wholeNumber(1, 200, "How many commits to list. Default: 20."),
    },
    ["path"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"], workspace: "read" },
  limits: GIT_LIMITS,
  origin: { kind: "builtin" },
};

const GIT_COMMIT: ToolManifest = {
  name: "git_commit",
  description:
    "Commit what differs from the last commit: changed, new and deleted files. " +
    "Files that policy does not let you write are left out, and named in the result. No hook runs. " +
    "The author is fixed, and lines that name the run are added to the message. " +
    "Look at git_status first, and delete files that do not belong into a commit.",
  inputSchema: closed(
    {
      message: {
        type: "string",
        minLength: 1,
        maxLength: 8192,
        description: "A summary of at most 72 characters; then, if needed, an empty line and the reasons.",
      },
      path: pathArgument("Commit only this file, or what is below this folder. Default: everything."),
    },
    ["message"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, workspace: "write" },
  limits: GIT_LIMITS,
  origin: { kind: "builtin" },
};

const GIT_PUSH: ToolManifest = {
  name: "git_push",
  description:
    "Push the current commit to a branch of the repository's remote, which the operator has set. " +
    "Commit first. The branch is created, or moved forward; it is never overwritten. As a rule a person has to agree.",
  inputSchema: closed(
    {
      branch: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        pattern: "^[A-Za-z0-9][A-Za-z0-9._/-]*$",
        description: "The branch's name, without refs/heads/, such as agent/fix-login.",
      },
    },
    ["branch"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, workspace: "write" },
  limits: GIT_LIMITS,
  origin: { kind: "builtin" },
};

export const GIT_MANIFESTS: readonly ToolManifest[] = [GIT_STATUS, GIT_DIFF, GIT_LOG, GIT_COMMIT, GIT_PUSH];
