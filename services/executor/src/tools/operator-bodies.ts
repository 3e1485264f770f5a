import { AirlockError } from "@airlock/core/fault";
import { operatorToolProblem, type OperatorTool } from "@airlock/core/tool";
import { resolveProgram, type ProgramPlaces } from "../sandbox/index.ts";
import { operatorProgramTool, type Command } from "./operator-tool.ts";
import type { Tool } from "./tool-body.ts";

/** Finds the program of every tool. Throws TOOLS_INVALID, with each place in a tool's file, for those that are not there. */
export async function operatorBodies(
  tools: readonly OperatorTool[],
  places: ProgramPlaces,
): Promise<ReadonlyMap<string, Tool>> {
  const bodies = new Map<string, Tool>();
  const refusals: string[] = [];
  const find = (tool: OperatorTool, key: "command" | "probe") => commandOf(tool, key, places);
  for (const tool of tools) {
    const command = await find(tool, "command");
    const probe = tool.probe === null ? null : await find(tool, "probe");
    for (const found of [command, probe]) if (typeof found === "string") refusals.push(found);
    if (typeof command === "string" || typeof probe === "string") continue;
    bodies.set(tool.manifest.name, operatorProgramTool(tool.manifest, command, probe));
  }
  if (refusals.length > 0) throw new AirlockError("TOOLS_INVALID", refusals.join("\n"));
  return bodies;
}

/** The command with its program; a text is what is wrong with it, and where. */
async function commandOf(
  tool: OperatorTool,
  key: "command" | "probe",
  places: ProgramPlaces,
): Promise<Command | string> {
  const argv = tool[key] ?? [];
  const [word = ""] = argv;
  const found = await resolveProgram(word, places);
  if (found.ok) return { argv, program: found.program };
  const message = `the program ${JSON.stringify(word)} can't be run: ${found.detail}`;
  return operatorToolProblem(tool, { path: [key, 0], message }).detail;
}
