import { z } from "zod";
import { changeWhileHeld } from "./change-while-held.ts";
import { commitPatch, type PatchStep } from "./commit-patch.ts";
import { expectFiles, plainFile, probeFiles } from "./file-states.ts";
import { planPatch } from "./plan-patch.ts";
import { readArguments } from "./read-arguments.ts";
import { endedPlan, lookingTool, refuse, succeed, type Tool } from "./tool-body.ts";

const patchArguments = z.strictObject({ patch: z.string() });

/** A unified diff in, the changed files out; all of it fits exactly, or nothing is written. */
export const applyPatchTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(patchArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const plan = await planPatch(context.files, parsed.value.patch);
    if (!plan.ok) {
      const where = plan.file === undefined ? "" : `${plan.file.path}: `;
      return endedPlan(refuse("PATCH_REFUSED", `${where}${plan.detail}`));
    }
    return {
      kind: "ready",
      expected: expectFiles(plan.steps.map(expectedChange)),
      changes: plan.steps.map(({ path, after }) => ({ kind: "content", path, after })),
      run: (signal) =>
        changeWhileHeld(context, signal, async () => {
          const committed = await commitPatch(context.files, plan.steps);
          return committed.ok ? succeed({ files: committed.changes }) : committed.outcome;
        }),
    };
  },
  probe: probeFiles,
};

function expectedChange({ path, before, after, executable, wasExecutable }: PatchStep) {
  return {
    path,
    before: before === null ? null : plainFile(before, wasExecutable),
    after: after === null ? null : plainFile(after, executable),
  };
}

/** The same patch held against the workspace, and nothing written; what it says may stand in a run's record: it names no path. */
export const checkPatchTool = lookingTool(async (context, args) => {
  const parsed = readArguments(patchArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const plan = await planPatch(context.files, parsed.value.patch);
  if (plan.ok) return succeed({ files: plan.files.length });
  return refuse(
    "PATCH_REFUSED",
    plan.file === undefined ? plan.detail : `file ${plan.file.number} of the patch: ${plan.detail}`,
  );
});
