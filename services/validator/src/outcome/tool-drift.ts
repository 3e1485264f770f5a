// Takes a run's pinned tools, gives the ending of a run that has other tools now than it was admitted with: a model was
// told of one tool, and another would run.
import type { CallHash, RunPlan } from "@airlock/core/run";
import { manifestDigest, type ToolCatalog } from "@airlock/core/tool";
import type { Step } from "./next-step.ts";

type Drift = Extract<Step, { kind: "end" }>;

/** null where this validator's manifests are the pinned ones. */
export function toolDrift(catalog: ToolCatalog, plan: Pick<RunPlan, "tools">): Drift | null {
  const drifted = plan.tools.find(({ name, digest }) => {
    const manifest = catalog.get(name);
    return manifest === undefined || manifestDigest(manifest) !== digest;
  });
  if (drifted === undefined) return null;
  const gone = catalog.get(drifted.name) === undefined;
  return drift(`the tool ${drifted.name} ${gone ? "is gone" : "changed"} since the run was admitted`);
}

/** null where no executor found another manifest than the grant names. */
export function executorDrift(calls: readonly (CallHash | null)[]): Drift | null {
  const call = calls.find((each) => each?.errorClass === "TOOL_DRIFT");
  return call ? drift(`an executor has another manifest of the tool ${call.tool} than the run pinned`) : null;
}

/** What follows a response, held against the tools: an output that is complete needs none. */
export function stepWithTools(step: Step, catalog: ToolCatalog, plan: Pick<RunPlan, "tools">): Step {
  if (step.kind === "judge_artifact") return step;
  if (step.kind !== "end") return toolDrift(catalog, plan) ?? step;
  return step.errorClass === "TOOL_DRIFT"
    ? drift("the streamer has another manifest of a tool than the run pinned")
    : step;
}

function drift(detail: string): Drift {
  return {
    kind: "end",
    state: "failed",
    errorClass: "TOOL_DRIFT",
    detail: `${detail}; give every service the same tools (AIRLOCK_TOOLS) and submit the run again`,
  };
}
