export { hasExpired, listApprovals, readApproval, readAsked, readQuestion, type Asked } from "./approvals.ts";
export {
  approvalDocumentSchema,
  approvalEntrySchema,
  type ApprovalDocument,
  type ApprovalEntry,
} from "./approval-schemas.ts";
export {
  assertSubmitted,
  readRunDocument,
  runDocumentSchema,
  type CallDocument,
  type RunDocument,
} from "./run-document.ts";
export {
  listRoutes,
  routeDocumentSchema,
  verifiedModels,
  type ReportDocument,
  type RouteDocument,
} from "./route-list.ts";
export { listTools, toolDocumentSchema, type ToolDocument } from "./tool-list.ts";
export { ledgerDocumentSchema, listUnknown, readLedger, type LedgerDocument } from "./ledger.ts";
export {
  decisionEntrySchema,
  listDecisions,
  type DecisionEntry,
  type DecisionQuery,
} from "./decision-list.ts";
export { listLeases, type LeaseDocument, type PoolLeases } from "./lease-list.ts";
export { listPools, poolDocumentSchema, type PoolDocument } from "./pool-list.ts";
export { diffDocumentSchema, readDiffDocument, type DiffDocument } from "./run-diff.ts";
export {
  listRunPage,
  listRuns,
  readRunEntry,
  runPageSchema,
  type RunListEntry,
  type RunPage,
  type RunQuery,
} from "./run-list.ts";
export {
  listQuarantine,
  quarantineDocumentSchema,
  readQuarantine,
  type QuarantineDocument,
  type QuarantineFilter,
} from "./quarantine.ts";
export { ENTRY_STATES, quarantineEntrySchema, type QuarantineEntry } from "./quarantine-entry.ts";
export { readReports } from "./read-reports.ts";
export type { Access } from "../access.ts";
