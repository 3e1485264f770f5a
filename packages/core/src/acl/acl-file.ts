// The digests of passwords in, Redis' ACL file out: one user for each service, with what the tables beside this file give it.
import { sha256Hex } from "../record/index.ts";
import {
  APPEND,
  BESIDES,
  CONNECT,
  COUNT,
  LIFETIME,
  READ,
  RUN_SCRIPTS,
  SINCE_7_2,
  WRITE,
} from "./commands.ts";
import { KEY_FAMILIES, type KeyFamily } from "./key-access.ts";
import { QUEUE_ACCESS, RIGHT_COMMANDS, type QueueRight } from "./queue-access.ts";
import { ADMIN_USER, REDIS_USERS, type RedisLogin, type RedisUser } from "./users.ts";

/** A set of commands and the keys on which they are allowed. */
export interface Selector {
  readonly commands: readonly string[];
  /** a pattern of keys, with `%R~` or `%W~` before it, or `~` for both */
  readonly keys: readonly string[];
}

/**
 * Nobody comes in as `default`: it is off and has no password. But Redis loads its append-only file with this user's rights, and
 * leaves out in silence what it may not do of a script's writes: it has to keep them all.
 */
const DEFAULT_USER = "user default off resetpass ~* &* +@all";

/** `password`: of each login; the file holds its SHA-256 alone. `redis72`: the server knows what 7.2 brought. */
export function aclFile(
  password: Readonly<Record<RedisLogin, string>>,
  { redis72 }: { readonly redis72: boolean },
): string {
  return [
    DEFAULT_USER,
    ...REDIS_USERS.map((user) => {
      const rules = [
        "resetchannels -@all",
        ...loose(user, redis72).map((command) => `+${command}`),
        ...selectorsOf(user).map(selectorText),
      ];
      return [userText(user, password[user]), ...rules].join(" ");
    }),
    `${userText(ADMIN_USER, password[ADMIN_USER])} ~* &* +@all`,
    "",
  ].join("\n");
}

function userText(login: RedisLogin, password: string): string {
  return `user ${login} on #${sha256Hex(password)}`;
}

/** Commands that concern no key. */
export function loose(user: RedisUser, redis72: boolean): readonly string[] {
  return [...CONNECT, ...BESIDES[user]].filter((command) => redis72 || !SINCE_7_2.includes(command));
}

/** What a user may do with keys. Redis allows a command where one of these allows all of it. */
export function selectorsOf(user: RedisUser): readonly Selector[] {
  if (user === "metrics") return [{ commands: COUNT, keys: countedBy(user) }];
  const reads = families((family) => mayRead(family, user));
  const writes = families(({ writes: writers }) => writers.includes(user));
  const appends = families(({ appends: appenders = [] }) => appenders.includes(user));
  const lifetimes = families(({ ofRun }) => user === "validator" && ofRun);
  return [
    { commands: RUN_SCRIPTS, keys: ["~*"] },
    { commands: READ, keys: reads.map((pattern) => `%R~${pattern}`) },
    { commands: [...READ, ...WRITE[user]], keys: writes.map((pattern) => `~${pattern}`) },
    { commands: APPEND, keys: appends.map((pattern) => `%W~${pattern}`) },
    { commands: LIFETIME, keys: lifetimes.map((pattern) => `%W~${pattern}`) },
    ...queueSelectors(user),
  ].filter(({ keys }) => keys.length > 0);
}

/** Queues with the same rights share a selector. */
function queueSelectors(user: RedisUser): readonly Selector[] {
  const groups = new Map<string, { rights: readonly QueueRight[]; patterns: string[] }>();
  for (const { pattern, rights } of QUEUE_ACCESS) {
    const own = rights[user];
    const group = groups.get(own.join()) ?? { rights: own, patterns: [] };
    groups.set(own.join(), group);
    group.patterns.push(pattern);
  }
  return [...groups.values()]
    .filter(({ rights }) => rights.length > 0)
    .map(({ rights, patterns }) => ({
      commands: [...new Set(rights.flatMap((right) => (right === "count" ? COUNT : RIGHT_COMMANDS[right])))],
      keys: patterns.map((pattern) => (rights.join() === "read" ? `%R~${pattern}` : `~${pattern}`)),
    }));
}

function countedBy(user: RedisUser): readonly string[] {
  const queues = QUEUE_ACCESS.filter(({ rights }) => rights[user].includes("count"));
  const keys = families((family) => mayRead(family, user));
  return [...keys, ...queues.map(({ pattern }) => pattern)].map((pattern) => `%R~${pattern}`);
}

function mayRead({ reads, writes }: KeyFamily, user: RedisUser): boolean {
  return reads.includes(user) || writes.includes(user);
}

function families(among: (family: KeyFamily) => boolean): readonly string[] {
  return KEY_FAMILIES.filter(among).flatMap(({ patterns }) => patterns);
}

function selectorText({ commands, keys }: Selector): string {
  return `(-@all ${[...commands.map((command) => `+${command}`), ...keys].join(" ")})`;
}
