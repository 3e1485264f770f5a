// The data folder in, a users file for the console of this machine out: one person who may do everything, and a token for
// the commands. What is there already is kept.
import { existsSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { hashPassword, loadUsers, newToken, tokenDigest } from "@airlock/console";
import type { DataPaths } from "./data-paths.ts";

export const ADMIN = "admin";
const PASSWORD_BYTES = 15;
const ROLES = "[operator, approver]";

/** Throws USERS_INVALID for a file that is there and can't be used. */
export async function prepareUsers(paths: DataPaths): Promise<void> {
  if (existsSync(paths.users)) {
    loadUsers(paths.users);
    return;
  }
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const token = newToken();
  const text = [
    "# Who may use the console of this machine: docs/console.md. Change it with `airlock console user` and `token`.",
    "users:",
    `  - { name: ${ADMIN}, roles: ${ROLES}, password: "${await hashPassword(password)}" }`,
    "tokens:",
    `  - { name: local, roles: ${ROLES}, sha256: "${tokenDigest(token)}" }`,
    "",
  ].join("\n");
  // the users file last: without it, all three are made again
  writeFileSync(paths.consolePassword, `${password}\n`, { mode: 0o600 });
  writeFileSync(paths.consoleToken, `${token}\n`, { mode: 0o600 });
  writeFileSync(paths.users, text, { mode: 0o600, flag: "wx" });
}
