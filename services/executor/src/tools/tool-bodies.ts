import { CHECK_FILES, CHECK_PATCH } from "@airlock/core/tool";
import { applyPatchTool, checkPatchTool } from "./apply-patch.ts";
import { checkFilesTool } from "./check-files.ts";
import { listFilesTool } from "./list-files.ts";
import { readFileTool } from "./read-file.ts";
import { runCommandTool } from "./run-command.ts";
import type { Tool } from "./tool-body.ts";
import { writeFileTool } from "./write-file.ts";

/** One line a tool: a manifest without a body here is refused, and a body without a manifest never asked for. */
export const TOOL_BODIES: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  [CHECK_FILES.name, checkFilesTool],
  [CHECK_PATCH.name, checkPatchTool],
  ["apply_patch", applyPatchTool],
  ["list_files", listFilesTool],
  ["read_file", readFileTool],
  ["run_command", runCommandTool],
  ["write_file", writeFileTool],
]);
