export { aclFile, loose, selectorsOf, type Selector } from "./acl-file.ts";
export {
  GLOBAL_KEY_ACCESS,
  KEY_FAMILIES,
  RUN_KEY_ACCESS,
  type KeyAccess,
  type KeyFamily,
} from "./key-access.ts";
export { QUEUE_ACCESS, type QueueAccess, type QueueRight } from "./queue-access.ts";
export { ADMIN_USER, REDIS_LOGINS, REDIS_USERS, type RedisLogin, type RedisUser } from "./users.ts";
