import {
  KEY_FAMILIES,
  loose,
  QUEUE_ACCESS,
  REDIS_USERS,
  type KeyFamily,
  type RedisUser,
} from "@airlock/core/acl";
import type { Table } from "./markdown.ts";

/** What a user may do with the keys of a family, in a word; the validator's hold on lifetimes is said in the text. */
function wordFor({ writes, appends = [], reads }: KeyFamily, user: RedisUser): string {
  if (writes.includes(user)) return "writes";
  const words = [
    ...(reads.includes(user) ? [user === "metrics" ? "counts" : "reads"] : []),
    ...(appends.includes(user) ? ["appends"] : []),
  ];
  return words.join(", ");
}

const QUEUE_WORDS = {
  consume: "consumes",
  produce: "adds",
  act: "promotes, removes",
  read: "reads",
  count: "counts",
} as const;

export const REDIS_USER_TABLES = {
  "redis-keys": {
    head: ["keys", ...REDIS_USERS],
    rows: KEY_FAMILIES.map((family) => [
      family.patterns.map((pattern) => `\`${pattern}\``).join(", "),
      ...REDIS_USERS.map((user) => wordFor(family, user)),
    ]),
  },
  "redis-queues": {
    head: ["queue", ...REDIS_USERS],
    rows: QUEUE_ACCESS.map(({ name, rights }) => [
      `\`${name}\``,
      ...REDIS_USERS.map((user) => rights[user].map((right) => QUEUE_WORDS[right]).join(", ")),
    ]),
  },
  "redis-loose": {
    head: ["user", "commands that concern no key"],
    rows: REDIS_USERS.map((user) => [
      `\`${user}\``,
      loose(user, true)
        .map((command) => `\`${command.replace("|", " ").toUpperCase()}\``)
        .join(", "),
    ]),
  },
} as const satisfies Record<string, Table>;
