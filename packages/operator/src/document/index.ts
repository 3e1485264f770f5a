export {
  hasExpired,
  listApprovalPage,
  listApprovals,
  readApproval,
  readApprovalEntry,
  readAsked,
  readQuestion,
  type Asked,
} from "./approvals.ts";
export {
  approvalDocumentSchema,
  approvalPageSchema,
  type ApprovalDocument,
  type ApprovalEntry,
  type ApprovalPage,
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
export { walkPages, type PageQuery } from "./index-page.ts";
export { listTools, toolDocumentSchema, type ToolDocument } from "./tool-list.ts";
export {
  ledgerDocumentSchema,
  listUnknown,
  listUnknownPage,
  readLedger,
  unknownPageSchema,
  type LedgerDocument,
  type UnknownPage,
} from "./ledger.ts";
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
export { quarantineDocumentSchema, readQuarantine, type QuarantineDocument } from "./quarantine.ts";
export {
  listQuarantine,
  listQuarantinePage,
  quarantinePageSchema,
  type QuarantineFilter,
  type QuarantinePage,
} from "./quarantine-list.ts";
export { ENTRY_STATES, quarantineEntrySchema, type QuarantineEntry } from "./quarantine-entry.ts";
export { readReports } from "./read-reports.ts";
export type { Access } from "../access.ts";
