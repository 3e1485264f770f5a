import { parseItemKey } from "@airlock/core/record";
import { globalKeys, redisNow, runKeys, type Redis } from "@airlock/core/store";
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
  const told = new Set(await redis.zrange(globalKeys.consoleWarned, "0", "-1"));
  for (const itemKey of await likelyDue(redis, { now, part: config.approvalWarnPart, told })) {
    // one by one: of thousands the checks of their signatures must not keep pages waiting
    const asked = await readAsked(access, itemKey);
    if (asked === null || told.has(nameOf(asked))) continue;
    if (!isDue(asked, { now, part: config.approvalWarnPart })) continue;
    const labels = await labelsOf(redis, asked.ask.run);
    await deliveries.add([eventOf(asked, { now, labels })]);
    await redis.zadd(globalKeys.consoleWarned, String(asked.ask.expiresAt), nameOf(asked));
  }
}

const BATCH = 500;

/** Those that are due by what is noted beside them, unsigned: a few fields of each tell which are worth a whole look. */
async function likelyDue(
  redis: Redis,
  { now, part, told }: { readonly now: number; readonly part: number; readonly told: ReadonlySet<string> },
): Promise<readonly string[]> {
  const flat = await redis.zrangebyscore(globalKeys.approvals, String(now), "+inf", "WITHSCORES");
  const waiting = flat.flatMap((itemKey, at) =>
    at % 2 === 0 ? [{ itemKey, expiresAt: Number(flat[at + 1]) }] : [],
  );
  const due: string[] = [];
  for (let from = 0; from < waiting.length; from += BATCH) {
    const batch = waiting.slice(from, from + BATCH);
    const notes = await readNotes(
      redis,
      batch.map(({ itemKey }) => itemKey),
    );
    for (const [at, { itemKey, expiresAt }] of batch.entries()) {
      const [request, parkedAt] = notes[at] ?? [null, null];
      const near = parkedAt === null || expiresAt - now <= part * (expiresAt - parkedAt);
      if (near && !told.has(`${itemKey}.${request ?? ""}`)) due.push(itemKey);
    }
  }
  return due;
}

type Notes = readonly [request: string | null, parkedAt: number | null];

async function readNotes(redis: Redis, itemKeys: readonly string[]): Promise<readonly Notes[]> {
  const pipeline = redis.pipeline();
  for (const itemKey of itemKeys)
    pipeline.hmget(runKeys(parseItemKey(itemKey)?.run ?? "").call(itemKey), "request", "parkedAt");
  const answers = (await pipeline.exec()) ?? [];
  return answers.map(([error, values]) => {
    if (error) throw error;
    const list: readonly unknown[] = Array.isArray(values) ? values : [];
    const [request, parkedAt] = list;
    return [
      typeof request === "string" ? request : null,
      typeof parkedAt === "string" ? Number(parkedAt) : null,
    ];
  });
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
