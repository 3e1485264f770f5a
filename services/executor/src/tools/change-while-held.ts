import { CLAIM_LOST, refuse, type ToolContext, type ToolOutcome } from "./tool-body.ts";

/** Every change of the workspace by the executor itself: asked for the last time whether the call is still ours to run. */
export async function changeWhileHeld(
  context: ToolContext,
  signal: AbortSignal,
  change: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (signal.aborted) return refuse("CANCELLED", "cancelled before anything was changed");
  return (await context.fenceHolds()) ? change() : CLAIM_LOST;
}
