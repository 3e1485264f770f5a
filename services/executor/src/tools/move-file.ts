import { z } from "zod";
import { changeContent } from "./change-content.ts";
import { changeWhileHeld } from "./change-while-held.ts";
import { expectFiles, probeFiles } from "./file-states.ts";
import { readArguments } from "./read-arguments.ts";
import { endedPlan, refuse, succeed, type Tool } from "./tool-body.ts";

const moveFileArguments = z.strictObject({ from: z.string(), to: z.string() });

/** Two paths in, the states of both files before and after out; refuses to overwrite, and what is no plain file. */
export const moveFileTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(moveFileArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const { from, to } = parsed.value;
    const source = await context.files.state(from);
    if (!source.ok) return endedPlan(refuse(source.errorClass, `from: ${source.detail}`));
    if (source.state === null) return endedPlan(refuse("PATH_REFUSED", "from: the file does not exist"));
    if (source.state.type !== "file") {
      return endedPlan(refuse("PATH_REFUSED", "from: a symbolic link is not moved; delete it instead"));
    }
    const target = await context.files.state(to);
    if (!target.ok) return endedPlan(refuse(target.errorClass, `to: ${target.detail}`));
    if (target.state !== null) return endedPlan(refuse("PATH_REFUSED", "to: there is a file already"));
    const { state } = source;
    return {
      kind: "ready",
      expected: expectFiles([
        { path: from, before: state, after: null },
        { path: to, before: null, after: state },
      ]),
      changes: [{ kind: "move", from, to }],
      run: (signal) =>
        changeWhileHeld(context, signal, async () => {
          const moved = await context.files.moveFile(from, to);
          if (!moved.ok) return refuse(moved.errorClass, moved.detail);
          return succeed({ files: [changeContent(from, moved.from), changeContent(to, moved.to)] });
        }),
    };
  },
  probe: probeFiles,
};
