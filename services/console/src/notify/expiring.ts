import { globalKeys, redisNow } from "@airlock/core/store";
import { readAsked, type Asked } from "@airlock/operator/document";
import type { Deliveries } from "./deliveries.ts";
import type { NotifyDeps } from "./deps.ts";
import type { NotifiedEvent } from "./event.ts";
import { labelsOf } from "./labels.ts";

/**
 * Tells once of each question of which only a part of its time is left. What was told is noted behind the jobs: a crash
 * between them tells again under the same id.
 */
export async function tellExpiring(
  deps: Pick<NotifyDeps, "redis" | "access" | "config">,
  deliveries: Deliveries,
): Promise<void> {
  const { redis, access, config } = deps;
  if (config.approvalWarnPart === 0) return;
  const now = await redisNow(redis);
  await redis.zremrangebyscore(globalKeys.consoleWarned, "-inf", String(now));
  const items = await redis.zrangebyscore(globalKeys.approvals, String(now), "+inf");
  if (items.length === 0) return;
  const told = new Set(await redis.zrange(globalKeys.consoleWarned, "0", "-1"));
  const found = await Promise.all(items.map((itemKey) => readAsked(access, itemKey)));
  const due = found.filter(
    (asked) =>
      asked !== null && isDue(asked, { now, part: config.approvalWarnPart }) && !told.has(nameOf(asked)),
  );
  for (const asked of due) {
    if (asked === null) continue;
    const labels = await labelsOf(redis, asked.ask.run);
    await deliveries.add([eventOf(asked, { now, labels })]);
    await redis.zadd(globalKeys.consoleWarned, String(asked.ask.expiresAt), nameOf(asked));
  }
}

function isDue(
  { ask: { askedAt, expiresAt } }: Asked,
  { now, part }: { readonly now: number; readonly part: number },
): boolean {
  return now < expiresAt && expiresAt - now <= part * (expiresAt - askedAt);
}

/** A call that is asked about anew is another question. */
function nameOf({ ask: { itemKey, request } }: Asked): string {
  return `${itemKey}.${request}`;
}

function eventOf(
  asked: Asked,
  { now, labels }: { readonly now: number; readonly labels: Readonly<Record<string, string>> },
): NotifiedEvent {
  const { run, itemKey, tool, risk, expiresAt } = asked.ask;
  return {
    id: `${nameOf(asked)}.expiring`,
    at: new Date(now).toISOString(),
    labels,
    notice: { type: "approval_expiring", run, itemKey, tool, risk, expiresAt },
  };
}
