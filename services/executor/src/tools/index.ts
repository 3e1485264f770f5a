export { operatorBodies } from "./operator-bodies.ts";
export { TOOL_BODIES } from "./tool-bodies.ts";
export type { ToolBody, ToolContext, ToolOutcome } from "./tool-body.ts";
