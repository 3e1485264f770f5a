import { z } from "zod";
import { commitPatch } from "./commit-patch.ts";
import { planPatch } from "./plan-patch.ts";
import { readArguments } from "./read-arguments.ts";
import { CLAIM_LOST, refuse, succeed, type ToolBody } from "./tool-body.ts";

const patchArguments = z.strictObject({ patch: z.string() });

/** A unified diff in, the changed files out; all of it fits exactly, or nothing is written. */
export const applyPatchBody: ToolBody = async (context, args, signal) => {
  const parsed = readArguments(patchArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const plan = await planPatch(context.files, parsed.value.patch);
  if (!plan.ok)
    return refuse(
      "PATCH_REFUSED",
      plan.file === undefined ? plan.detail : `${plan.file.path}: ${plan.detail}`,
    );
  if (signal.aborted) return refuse("CANCELLED", "cancelled before anything was written");
  if (!(await context.fenceHolds())) return CLAIM_LOST;
  const committed = await commitPatch(context.files, plan.steps);
  return committed.ok ? succeed({ files: committed.changes }) : committed.outcome;
};

/** The same patch held against the workspace, and nothing written; what it says may stand in a run's record: it names no path. */
export const checkPatchBody: ToolBody = async (context, args) => {
  const parsed = readArguments(patchArguments, args);
  if (!parsed.ok) return parsed.refusal;
  const plan = await planPatch(context.files, parsed.value.patch);
  if (plan.ok) return succeed({ files: plan.files.length });
  return refuse(
    "PATCH_REFUSED",
    plan.file === undefined ? plan.detail : `file ${plan.file.number} of the patch: ${plan.detail}`,
  );
};
