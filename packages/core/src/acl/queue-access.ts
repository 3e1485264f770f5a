import { namesOf } from "../fault/index.ts";
import { NOTIFICATIONS, producersOf, queueName, queuePrefix, QUEUES } from "../queue/index.ts";
import { ACT, CONSUME, PRODUCE, READ } from "./commands.ts";
import { REDIS_USERS, type RedisUser } from "./users.ts";

/** `act`: to promote and remove what waits there for people. */
export type QueueRight = "consume" | "produce" | "act" | "read" | "count";

export interface QueueAccess {
  readonly name: string;
  readonly pattern: string;
  readonly rights: Readonly<Record<RedisUser, readonly QueueRight[]>>;
}

const LOOKS = ["console", "client"] as const;

/** Each queue and what each user may do there: who consumes it and who signs its records decide that. */
export const QUEUE_ACCESS: readonly QueueAccess[] = [
  ...namesOf(QUEUES).map((family) => {
    const name = queueName(family, "*");
    const rights = (user: RedisUser): readonly QueueRight[] => [
      ...(QUEUES[family].consumer === user ? (["consume"] as const) : []),
      ...(producersOf(family).some((role) => role === user) ? (["produce"] as const) : []),
      ...(LOOKS.some((looks) => looks === user) ? (["read"] as const) : []),
      ...(family === "approvals" && LOOKS.some((looks) => looks === user) ? (["act"] as const) : []),
      ...(user === "metrics" ? (["count"] as const) : []),
    ];
    return { name: family, pattern: `${queuePrefix(name)}:${name}:*`, rights: byUser(rights) };
  }),
  // the console's own, one part for each webhook
  {
    name: NOTIFICATIONS,
    pattern: `${queuePrefix(NOTIFICATIONS)}:${NOTIFICATIONS}.*`,
    rights: byUser((user) =>
      user === "console" ? ["consume", "produce"] : user === "metrics" ? ["count"] : [],
    ),
  },
];

/** What each right takes; a consumer watches its queue's events as well. */
export const RIGHT_COMMANDS: Readonly<Record<Exclude<QueueRight, "count">, readonly string[]>> = {
  consume: [...CONSUME, "xread"],
  produce: PRODUCE,
  act: ACT,
  read: READ,
};

function byUser(
  rights: (user: RedisUser) => readonly QueueRight[],
): Record<RedisUser, readonly QueueRight[]> {
  const [streamer, validator, executor, console, client, metrics] = REDIS_USERS;
  return {
    streamer: rights(streamer),
    validator: rights(validator),
    executor: rights(executor),
    console: rights(console),
    client: rights(client),
    metrics: rights(metrics),
  };
}
