import { sendNotice } from "@airlock/core/queue";
import { readRun } from "@airlock/core/run";
import { isErrorClass } from "@airlock/core/fault";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/** Tells the feed of a run's end, once as a rule and never not at all: what was not noted as told is told again. */
export async function tellEnded({ redis }: Pick<Deps, "redis">, run: string): Promise<void> {
  const hash = await readRun(redis, run);
  if (hash?.endedAt === undefined || hash.told !== undefined) return;
  const errorClass = hash.errorClass ?? "";
  await sendNotice(redis, {
    type: "run_ended",
    run,
    state: hash.state,
    errorClass: isErrorClass(errorClass) ? errorClass : null,
    labels: hash.labels,
  });
  await redis.hset(runKeys(run).run, "told", "1");
}
