import { closed, FILE_LIMITS, NO_CLAIMS, pathArgument } from "./builtin-parts.ts";
import type { ToolManifest } from "./manifest.ts";

const WRITE_FILE: ToolManifest = {
  name: "write_file",
  description:
    "Create a file of the workspace, or replace all of its content. Missing folders are created. " +
    "Give the complete new content: what you leave out is gone. For a small change prefer edit_file.",
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

const EDIT_FILE: ToolManifest = {
  name: "edit_file",
  description:
    "Replace one passage of a text file. The old text has to stand in the file exactly once, byte for byte: " +
    "with its indentation, its line ends, and enough lines around it to be unique. " +
    "If it stands there more than once, or not at all, nothing is changed, and you are told how often and where. " +
    "Read the file first. For several files at once use apply_patch.",
  inputSchema: closed(
    {
      path: pathArgument("The file to edit."),
      oldText: {
        type: "string",
        minLength: 1,
        description: "The passage to replace, exactly as in the file.",
      },
      newText: { type: "string", description: "What stands there afterwards; empty to delete the passage." },
    },
    ["path", "oldText", "newText"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, reads: ["path"], writes: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const DELETE_FILE: ToolManifest = {
  name: "delete_file",
  description: "Delete one file of the workspace. Folders stay, also empty ones.",
  inputSchema: closed({ path: pathArgument("The file to delete.") }, ["path"]),
  effect: "mutating",
  claims: { ...NO_CLAIMS, writes: ["path"] },
  limits: FILE_LIMITS,
  origin: { kind: "builtin" },
};

const MOVE_FILE: ToolManifest = {
  name: "move_file",
  description:
    "Move or rename one file within the workspace. Missing folders are created. " +
    "Nothing is overwritten: where the new path exists already, the call is refused.",
  inputSchema: closed(
    { from: pathArgument("The file to move."), to: pathArgument("Its new path, with the file's name.") },
    ["from", "to"],
  ),
  effect: "mutating",
  claims: { ...NO_CLAIMS, reads: ["from"], writes: ["from", "to"] },
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

export const CHANGE_MANIFESTS: readonly ToolManifest[] = [
  WRITE_FILE,
  EDIT_FILE,
  DELETE_FILE,
  MOVE_FILE,
  APPLY_PATCH,
];

/** Tools whose whole effect is a change of files, which can be told before it is made. */
const PREVIEWED: ReadonlySet<string> = new Set(CHANGE_MANIFESTS.map(({ name }) => name));

export function hasPreview(tool: string): boolean {
  return PREVIEWED.has(tool);
}
