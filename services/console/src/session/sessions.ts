// A cookie in, whose session it is out; refuses one that rested too long, is too old, or whose user has changed since.
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { globalKeys, redisNow, type Redis } from "@airlock/core/store";
import { withIncluded, type Principal, type Users } from "../identity/index.ts";

type User = Users["users"][number];

const storedSchema = z.object({
  name: z.string(),
  csrf: z.string(),
  /** of the user's entry: a new password or role ends every session that began under the old one */
  stamp: z.string(),
  endsAt: z.coerce.number(),
});

export interface Session {
  readonly principal: Principal;
  readonly csrf: string;
}

interface Found {
  readonly user: User;
  readonly csrf: string;
  readonly leftMs: number;
}

export interface Sessions {
  /** Under a value that nobody has seen before: a cookie that was planted beforehand never becomes a session. */
  open(user: User): Promise<{ readonly cookie: string; readonly csrf: string }>;
  /** Whoever asks is there: the session's rest begins anew. */
  find(cookie: string): Promise<Session | null>;
  /** Whether it is one still; nobody's rest is disturbed by the question. */
  stands(cookie: string): Promise<boolean>;
  close(cookie: string): Promise<void>;
}

export function createSessions(
  redis: Redis,
  settings: { readonly users: Users; readonly sessionMs: number; readonly sessionIdleMs: number },
): Sessions {
  const { users, sessionMs, sessionIdleMs } = settings;
  const read = async (cookie: string): Promise<Found | null> => {
    if (!/^[\w-]{43}$/.test(cookie)) return null;
    const stored = storedSchema.safeParse(await redis.hgetall(keyOf(cookie)));
    if (!stored.success) return null;
    const { name, csrf, stamp, endsAt } = stored.data;
    const user = users.users.find((each) => each.name === name);
    const leftMs = endsAt - (await redisNow(redis));
    return user === undefined || stampOf(user) !== stamp || leftMs <= 0 ? null : { user, csrf, leftMs };
  };
  return {
    async open(user) {
      const cookie = randomBytes(32).toString("base64url");
      const csrf = randomBytes(32).toString("base64url");
      const endsAt = (await redisNow(redis)) + sessionMs;
      const stored = { name: user.name, csrf, stamp: stampOf(user), endsAt };
      const key = keyOf(cookie);
      await redis.multi().hset(key, stored).pexpire(key, Math.min(sessionIdleMs, sessionMs)).exec();
      return { cookie, csrf };
    },
    async find(cookie) {
      const found = await read(cookie);
      if (found === null) return null;
      const { user, csrf, leftMs } = found;
      await redis.pexpire(keyOf(cookie), Math.min(sessionIdleMs, leftMs));
      return { principal: { name: user.name, roles: withIncluded(user.roles), via: "session" }, csrf };
    },
    stands: async (cookie) => (await read(cookie)) !== null,
    async close(cookie) {
      await redis.del(keyOf(cookie));
    },
  };
}

/** Redis holds no value that opens a session. */
function keyOf(cookie: string): string {
  return globalKeys.consoleSession(createHash("sha256").update(cookie).digest("hex"));
}

function stampOf({ name, password, roles }: User): string {
  return createHash("sha256")
    .update(JSON.stringify([name, password, roles]))
    .digest("hex");
}
