import type { JsonObject } from "../json/index.ts";
import { CHANGE_MANIFESTS } from "./builtin-changes.ts";
import { GIT_MANIFESTS } from "./builtin-git.ts";
import {
  closed,
  COMMAND_LIMITS,
  FILE_LIMITS,
  NO_CLAIMS,
  pathArgument,
  wholeNumber,
} from "./builtin-parts.ts";
import type { ToolManifest } from "./manifest.ts";

function lineArgument(description: string): JsonObject {
  return { type: "integer", minimum: 1, description };
}

const READ_FILE: ToolManifest = {
  name: "read_file",
  description:
    "Read a text file of the workspace. Returns its content, or the given range of lines. " +
    "Read a file before you change it.",
  inputSchema: closed(
    {
      path: pathArgument("The file to read."),
      startLine: lineArgument("First line to return, counted from 1. Default: the first line of the file."),
      endLine: lineArgument("Last line to return, included. Default: the last line of the file."),
    },
    ["path"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const LIST_FILES: ToolManifest = {
  name: "list_files",
  description: "List the files and folders below a folder of the workspace.",
  inputSchema: closed(
    {
      path: pathArgument("The folder to list; '.' is the workspace root."),
      depth: wholeNumber(1, 16, "How many levels to list. Default: 1, the folder's own entries."),
    },
    ["path"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const SEARCH_FILES: ToolManifest = {
  name: "search_files",
  description:
    "Find the lines of text files that match a pattern, with their file and line number. " +
    "Files that are binary or too large, node_modules folders and what policy hides are passed over; the result counts them. " +
    "Use it to find where something is defined or used, then read_file for the lines around it.",
  inputSchema: closed(
    {
      path: pathArgument("The file or folder to search; '.' is the whole workspace."),
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description:
          "A regular expression in RE2's syntax (no look-around, no back-references), held against one line at a time.",
      },
      literal: { type: "boolean", description: "Take the pattern as plain text. Default: false." },
      ignoreCase: { type: "boolean", description: "Default: false." },
      files: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description:
          "Only files whose path matches this glob of *, **, ? and {a,b}, such as '*.ts' or 'src/**/*.{js,ts}'. " +
          "Without a slash it is held against the file's name.",
      },
      maxMatches: wholeNumber(1, 1000, "Matching lines after which the search ends. Default: 200."),
    },
    ["path", "pattern"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const RUN_COMMAND: ToolManifest = {
  name: "run_command",
  description:
    "Run one program in a sandbox without network, in the workspace, and wait for its end. " +
    "There is no shell: argv is passed as it is, so pipes, redirects, globs, variables and '&&' do not work. " +
    "Returns the exit code and what was written to stdout and stderr. Only commands that policy names may run.",
  inputSchema: closed(
    {
      argv: {
        type: "array",
        minItems: 1,
        maxItems: 256,
        items: { type: "string", maxLength: 8192 },
        description: "The program's name, without a path, then its arguments, one string each.",
      },
      cwd: pathArgument("The folder to run in. Default: the workspace root."),
      timeoutMs: wholeNumber(1, COMMAND_LIMITS.timeoutMs, "Milliseconds after which the program is stopped."),
    },
    ["argv"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, workspace: "write" },
  limits: COMMAND_LIMITS,
  origin: { kind: "builtin" },
};

/** The tools that Airlock brings along. Their bodies exist only in the executor. */
export const BUILTIN_MANIFESTS: readonly ToolManifest[] = [
  READ_FILE,
  LIST_FILES,
  SEARCH_FILES,
  ...CHANGE_MANIFESTS,
  RUN_COMMAND,
  ...GIT_MANIFESTS,
];
