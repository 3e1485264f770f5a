// The name under which policy knows a tool that a provider hosts, and a manifest that stands for it where calls are judged;
// refuses labels and names that could be taken for others.
import type { ToolManifest } from "./manifest.ts";

const HOSTED = /^hosted:([A-Za-z0-9_.-]{1,64})\/([A-Za-z0-9_.-]{1,128})$/;

/** No registered tool has such a name: theirs hold no colon. */
export function isHostedTool(tool: string): boolean {
  return HOSTED.test(tool);
}

/** `hosted:<server label>/<name>`; null where the two can't be told apart in it, or one is missing. */
export function hostedToolName(server: string | undefined, name: string | null): string | null {
  const tool = `hosted:${server ?? ""}/${name ?? ""}`;
  return isHostedTool(tool) ? tool : null;
}

/**
 * Nobody here knows what such a tool does, so it counts as one that changes things. It touches no workspace of ours, and
 * what its arguments have to be is for the provider to say.
 */
export function hostedTool(tool: string): ToolManifest | null {
  const [, server, name] = HOSTED.exec(tool) ?? [];
  if (server === undefined || name === undefined) return null;
  return {
    name: tool,
    description: "a tool that the model's provider hosts and runs",
    inputSchema: { type: "object" },
    effect: "mutating",
    claims: { reads: [], writes: [], patches: [], workspace: "none" },
    limits: { timeoutMs: 0, outputBytes: 0, argumentBytes: 1_048_576 },
    origin: { kind: "mcp", server, tool: name },
  };
}
