import { operatorToolProblem, type OperatorTool } from "@airlock/core/tool";
import { resolveProgram, type ProgramPlaces } from "../sandbox/index.ts";
import { operatorToolBody } from "./operator-tool.ts";
import type { ToolBody } from "./tool-body.ts";

/** Finds the program of every tool. Throws TOOLS_INVALID, with its place in the tool's file, for one that is not there. */
export async function operatorBodies(
  tools: readonly OperatorTool[],
  places: ProgramPlaces,
): Promise<ReadonlyMap<string, ToolBody>> {
  const bodies = new Map<string, ToolBody>();
  for (const tool of tools) {
    const { manifest, command } = tool;
    const [word = ""] = command;
    const found = await resolveProgram(word, places);
    if (!found.ok) {
      const message = `the program ${JSON.stringify(word)} can't be run: ${found.detail}`;
      throw operatorToolProblem(tool, { path: ["command", 0], message });
    }
    bodies.set(manifest.name, operatorToolBody(manifest, command, found.program));
  }
  return bodies;
}
