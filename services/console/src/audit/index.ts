export { createAudit, readAudit, type Audit, type AuditRecord } from "./audit.ts";
