export { TOOL_BODIES } from "./tool-bodies.ts";
export type { ToolContext, ToolOutcome } from "./tool-body.ts";
