export { fitText } from "./fit-text.ts";
export { gitTools } from "./git/index.ts";
export { operatorBodies } from "./operator-bodies.ts";
export { TOOL_BODIES } from "./tool-bodies.ts";
export type {
  PlannedChange,
  ProbeFinding,
  ReadyPlan,
  Tool,
  ToolContext,
  ToolOutcome,
  ToolPlan,
} from "./tool-body.ts";
