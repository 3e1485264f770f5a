import { Buffer } from "node:buffer";
import { z } from "zod";
import { changeContent } from "./change-content.ts";
import { changeWhileHeld } from "./change-while-held.ts";
import { expectFiles, plainFile, probeFiles } from "./file-states.ts";
import { readArguments } from "./read-arguments.ts";
import { endedPlan, refuse, succeed, type Tool } from "./tool-body.ts";

const writeFileArguments = z.strictObject({ path: z.string(), content: z.string() });

/** A path and the whole new content in, the file's state before and after out. */
export const writeFileTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(writeFileArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const { path, content } = parsed.value;
    const found = await context.files.state(path);
    if (!found.ok) return endedPlan(refuse(found.errorClass, found.detail));
    const bytes = Buffer.from(content);
    const after = plainFile(bytes, found.state?.executable ?? false);
    return {
      kind: "ready",
      expected: expectFiles([{ path, before: found.state, after }]),
      changes: [{ kind: "content", path, after: bytes }],
      run: (signal) =>
        changeWhileHeld(context, signal, async () => {
          const change = await context.files.writeFile(path, bytes);
          return change.ok ? succeed(changeContent(path, change)) : refuse(change.errorClass, change.detail);
        }),
    };
  },
  probe: probeFiles,
};
