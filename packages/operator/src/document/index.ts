export { listApprovals, readApproval, readAsked, type Asked } from "./approvals.ts";
export {
  approvalDocumentSchema,
  approvalEntrySchema,
  type ApprovalDocument,
  type ApprovalEntry,
} from "./approval-schemas.ts";
export { assertSubmitted, readRunDocument, type CallDocument, type RunDocument } from "./run-document.ts";
export { listRoutes, verifiedModels, type ReportDocument, type RouteDocument } from "./route-list.ts";
export { listTools, type ToolDocument } from "./tool-list.ts";
export { listUnknown, readLedger, type LedgerDocument } from "./ledger.ts";
export { listPools, type PoolDocument } from "./pool-list.ts";
export { readDiffDocument, type DiffDocument } from "./run-diff.ts";
export { listRuns, type RunListEntry } from "./run-list.ts";
export {
  listQuarantine,
  readQuarantine,
  type QuarantineDocument,
  type QuarantineFilter,
} from "./quarantine.ts";
export { ENTRY_STATES, type QuarantineEntry } from "./quarantine-entry.ts";
export { readReports } from "./read-reports.ts";
export type { Access } from "../access.ts";
