import { AirlockError } from "@airlock/core/fault";
import { operatorToolProblem, type OperatorTool } from "@airlock/core/tool";
import { resolveProgram, type ProgramPlaces } from "../sandbox/index.ts";
import { operatorToolBody } from "./operator-tool.ts";
import type { ToolBody } from "./tool-body.ts";

/** Finds the program of every tool. Throws TOOLS_INVALID, with each place in a tool's file, for those that are not there. */
export async function operatorBodies(
  tools: readonly OperatorTool[],
  places: ProgramPlaces,
): Promise<ReadonlyMap<string, ToolBody>> {
  const bodies = new Map<string, ToolBody>();
  const refusals: string[] = [];
  for (const tool of tools) {
    const { manifest, command } = tool;
    const [word = ""] = command;
    const found = await resolveProgram(word, places);
    if (!found.ok) {
      const message = `the program ${JSON.stringify(word)} can't be run: ${found.detail}`;
      refusals.push(operatorToolProblem(tool, { path: ["command", 0], message }).detail);
    } else {
      bodies.set(manifest.name, operatorToolBody(manifest, command, found.program));
    }
  }
  if (refusals.length > 0) throw new AirlockError("TOOLS_INVALID", refusals.join("\n"));
  return bodies;
}
