export { createApp } from "./app.ts";
export { createAudit, readAudit } from "./audit/index.ts";
export type { Deps } from "./deps.ts";
export { hashPassword, loadUsers, newToken, parseUsers, tokenDigest, type Users } from "./identity/index.ts";
export { createSessions } from "./session/index.ts";
export { startConsole } from "./start.ts";
