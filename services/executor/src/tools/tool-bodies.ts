import { CHECK_FILES, CHECK_PATCH } from "@airlock/core/tool";
import { applyPatchBody, checkPatchBody } from "./apply-patch.ts";
import { checkFilesBody } from "./check-files.ts";
import { listFilesBody } from "./list-files.ts";
import { readFileBody } from "./read-file.ts";
import { runCommandBody } from "./run-command.ts";
import type { ToolBody } from "./tool-body.ts";
import { writeFileBody } from "./write-file.ts";

/** One line a tool: a manifest without a body here is refused, and a body without a manifest never asked for. */
export const TOOL_BODIES: ReadonlyMap<string, ToolBody> = new Map([
  [CHECK_FILES.name, checkFilesBody],
  [CHECK_PATCH.name, checkPatchBody],
  ["apply_patch", applyPatchBody],
  ["list_files", listFilesBody],
  ["read_file", readFileBody],
  ["run_command", runCommandBody],
  ["write_file", writeFileBody],
]);
