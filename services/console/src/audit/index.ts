export { createAudit, readAudit, type Audit, type AuditEntry, type AuditRecord } from "./audit.ts";
