import { CHECK_FILES, CHECK_PATCH } from "@airlock/core/tool";
import type { ToolClass } from "../sandbox/index.ts";

/** What a tool needs of the machine. One that is not named here needs what a command needs. */
const TOOL_CLASSES: ReadonlyMap<string, ToolClass> = new Map([
  [CHECK_FILES.name, "read"],
  [CHECK_PATCH.name, "read"],
  ["apply_patch", "mutate"],
  ["delete_file", "mutate"],
  ["edit_file", "mutate"],
  ["git_push", "mutate"],
  ["list_files", "read"],
  ["move_file", "mutate"],
  ["read_file", "read"],
  ["run_command", "command"],
  ["search_files", "read"],
  ["write_file", "mutate"],
]);

/** What a tool needs of the machine. One that is not named here, such as an operator's, needs what a command needs. */
export function toolClass(tool: string): ToolClass {
  return TOOL_CLASSES.get(tool) ?? "command";
}
