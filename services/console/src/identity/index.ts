export { assertMayRead, keepSubmitter } from "./may-read.ts";
export { identify } from "./identify.ts";
export { hashPassword, matchesPassword } from "./password.ts";
export { addressMatcher } from "./proxy-addresses.ts";
export { withIncluded, type ConsoleRole, type Principal } from "./roles.ts";
export { newToken, tokenDigest } from "./token.ts";
export { loadUsers, parseUsers, type Users } from "./users.ts";
