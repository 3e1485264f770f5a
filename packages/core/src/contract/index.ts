export {
  actionReasonSchema,
  commandBodySchema,
  FINDINGS,
  type ActionBody,
  type CommandBody,
  type KillBody,
  type ResolveBody,
} from "./command.ts";
export { approvalBodySchema, approverSchema, askBodySchema, type ApprovalBody, type AskBody } from "./ask.ts";
export { KILL_SCOPES, killTargetSchema } from "./kill-target.ts";
export {
  commitSchema,
  executionBodySchema,
  grantedWorkspaceSchema,
  type ExecutionBody,
} from "./execution.ts";
export { itemBodySchema, responseBodySchema, type ItemBody, type ResponseBody } from "./terminal.ts";
export { reportBodySchema, type ReportBody } from "./report.ts";
export { previewBodySchema, previewSchema, type Preview, type PreviewBody } from "./preview.ts";
export { resolutionBodySchema, type ResolutionBody } from "./resolution.ts";
export { resultBodySchema, RESULT_STATES, type ResultBody } from "./result.ts";
export { samplingFields, stopSequenceSchema, turnBodySchema, type TurnBody } from "./turn.ts";
export { CONTRACT_VERSION, count, parseBody } from "./version.ts";
export { noticeSchema, type Notice } from "./notice.ts";
export { runEventSchema, type RunEvent } from "./event.ts";
