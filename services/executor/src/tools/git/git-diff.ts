// Takes a path and a commit, gives the difference as a unified diff; refuses a path that no read may take. Files that
// policy hides are left out, and counted.
import { Buffer } from "node:buffer";
import { z } from "zod";
import { parseWorkspacePath } from "../../workspace/index.ts";
import { fitText } from "../fit-text.ts";
import { readArguments } from "../read-arguments.ts";
import { lookingTool, refuse, succeed } from "../tool-body.ts";
import { gitInSandbox } from "./git-in-sandbox.ts";
import { REVISION } from "./revision.ts";

const gitDiffArguments = z.strictObject({
  path: z.string(),
  base: z.string().regex(REVISION).optional(),
  contextLines: z.number().int().min(0).max(50).optional(),
});

const FLAGS = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--ignore-submodules=all",
] as const;
/** Of paths in one command line. */
const MAX_PATH_BYTES = 96 * 1024;

export const gitDiffTool = lookingTool(async (context, args, signal) => {
  const parsed = readArguments(gitDiffArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const { path, base = "HEAD", contextLines = 3 } = parsed.value;
  const place = parseWorkspacePath(path, "read");
  if (!place.ok) return refuse(place.errorClass, place.detail);
  const below = ["--", place.components.join("/") || "."];
  const names = ["diff", "--name-only", "-z", ...FLAGS, base, ...below];
  const listed = await gitInSandbox(context, { args: names, profile: "read" }, signal);
  if (!listed.ok) return listed.outcome;
  const changed = listed.text.split("\0").slice(0, -1);
  const shown = changed.filter((name) => context.may("read", name));
  const hidden = changed.length - shown.length;
  const counts = { files: shown.length, hidden };
  if (shown.length === 0) return succeed({ base, ...counts, diff: "", omittedBytes: 0 });
  const all = hidden === 0 && !listed.truncated;
  if (!all && Buffer.byteLength(shown.join(" ")) > MAX_PATH_BYTES) {
    return refuse("TOOL_FAILED", "too many files differ for one diff; give the path of a folder or a file");
  }
  const operands = all ? below : ["--", ...shown];
  const diff = ["diff", ...FLAGS, `--unified=${contextLines}`, base, ...operands];
  const ran = await gitInSandbox(context, { args: diff, profile: "read" }, signal);
  if (!ran.ok) return ran.outcome;
  const fitted = fitText(ran.text, context.limits.outputBytes);
  const { truncated, durationMs } = ran;
  return succeed({
    base,
    ...counts,
    diff: fitted.text,
    omittedBytes: fitted.omittedBytes,
    truncated,
    durationMs,
  });
});
