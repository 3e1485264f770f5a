import { CHECK_FILES, CHECK_PATCH } from "@airlock/core/tool";
import { applyPatchTool, checkPatchTool } from "./apply-patch.ts";
import { checkFilesTool } from "./check-files.ts";
import { deleteFileTool } from "./delete-file.ts";
import { editFileTool } from "./edit-file.ts";
import { listFilesTool } from "./list-files.ts";
import { moveFileTool } from "./move-file.ts";
import { readFileTool } from "./read-file.ts";
import { runCommandTool } from "./run-command.ts";
import { searchFilesTool } from "./search-files.ts";
import type { Tool } from "./tool-body.ts";
import { writeFileTool } from "./write-file.ts";

/** One line a tool: a manifest without a body here is refused, and a body without a manifest never asked for. */
export const TOOL_BODIES: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  [CHECK_FILES.name, checkFilesTool],
  [CHECK_PATCH.name, checkPatchTool],
  ["apply_patch", applyPatchTool],
  ["delete_file", deleteFileTool],
  ["edit_file", editFileTool],
  ["list_files", listFilesTool],
  ["move_file", moveFileTool],
  ["read_file", readFileTool],
  ["run_command", runCommandTool],
  ["search_files", searchFilesTool],
  ["write_file", writeFileTool],
]);
