import type { JsonObject } from "../json/index.ts";
import type { ToolClaims, ToolManifest } from "./manifest.ts";

const MEBIBYTE = 1_048_576;
const NO_CLAIMS: ToolClaims = { reads: [], writes: [], patches: [], workspace: "none" };
const FILE_LIMITS = { timeoutMs: 30_000, outputBytes: 262_144, argumentBytes: MEBIBYTE } as const;
const COMMAND_LIMITS = { timeoutMs: 600_000, outputBytes: 262_144, argumentBytes: 65_536 } as const;

const PATH_RULE = "Relative to the workspace root, with forward slashes; no leading slash and no '..'.";

function closed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", additionalProperties: false, properties, required };
}

function pathArgument(description: string): JsonObject {
  return { type: "string", minLength: 1, maxLength: 4096, description: `${description} ${PATH_RULE}` };
}

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
      depth: {
        type: "integer",
        minimum: 1,
        maximum: 16,
        description: "How many levels to list. Default: 1, the folder's own entries.",
      },
    },
    ["path"],
  ),
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const WRITE_FILE: ToolManifest = {
  name: "write_file",
  description:
    "Create a file of the workspace, or replace all of its content. Missing folders are created. " +
    "Give the complete new content: what you leave out is gone. For a small change prefer apply_patch.",
  inputSchema: closed(
    {
      path: pathArgument("The file to write."),
      content: { type: "string", description: "The complete new content of the file." },
    },
    ["path", "content"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, writes: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

export const APPLY_PATCH: ToolManifest = {
  name: "apply_patch",
  description:
    "Apply one unified diff to files of the workspace, all of it or nothing. " +
    "Use git's form: '--- a/<path>', '+++ b/<path>', then hunks with exact '@@ -l,n +l,n @@' counts and context " +
    "that matches the file byte for byte. '/dev/null' stands for a file that is created or deleted. " +
    "No text before, between or after the files' diffs.",
  inputSchema: closed({ patch: { type: "string", minLength: 1, description: "The unified diff." } }, [
    "patch",
  ]),
  effect: "mutating",
  claims: { ...NO_CLAIMS, patches: ["patch"] },
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
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: COMMAND_LIMITS.timeoutMs,
        description: "Milliseconds after which the program is stopped.",
      },
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
  WRITE_FILE,
  APPLY_PATCH,
  RUN_COMMAND,
];
