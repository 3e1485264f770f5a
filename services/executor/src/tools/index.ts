export { TOOL_BODIES } from "./tool-bodies.ts";
export type { ToolBody, ToolContext, ToolOutcome, ToolRefusal } from "./tool-body.ts";
