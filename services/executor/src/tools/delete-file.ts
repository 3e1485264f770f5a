import { z } from "zod";
import { changeContent } from "./change-content.ts";
import { changeWhileHeld } from "./change-while-held.ts";
import { expectFiles, probeFiles } from "./file-states.ts";
import { readArguments } from "./read-arguments.ts";
import { endedPlan, refuse, succeed, type Tool } from "./tool-body.ts";

const deleteFileArguments = z.strictObject({ path: z.string() });

/** A path in, the state of the file that is gone out; of a link only the link goes. */
export const deleteFileTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(deleteFileArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const { path } = parsed.value;
    const found = await context.files.state(path);
    if (!found.ok) return endedPlan(refuse(found.errorClass, found.detail));
    if (found.state === null) return endedPlan(refuse("PATH_REFUSED", "the file does not exist"));
    return {
      kind: "ready",
      expected: expectFiles([{ path, before: found.state, after: null }]),
      changes: [{ kind: "content", path, after: null }],
      run: (signal) =>
        changeWhileHeld(context, signal, async () => {
          const change = await context.files.deleteFile(path);
          return change.ok ? succeed(changeContent(path, change)) : refuse(change.errorClass, change.detail);
        }),
    };
  },
  probe: probeFiles,
};
