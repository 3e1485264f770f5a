// A request and a run in, nothing out where its principal may read the run; refuses all others as if there were no such run.
import type { FastifyRequest } from "fastify";
import { AirlockError } from "@airlock/core/fault";
import { newRunId } from "@airlock/core/record";
import { readRunHeads } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";

/** Longer than any queue should be: from its admission on, the run's own record says who submitted it. */
const SUBMITTER_MS = 86_400_000;

/** Chooses a run's id and keeps who submits it: its submitter may ask for it before a validator has seen it. */
export async function keepSubmitter(redis: Redis, by: string, run = newRunId()): Promise<string> {
  await redis.set(globalKeys.consoleSubmitter(run), by, "PX", SUBMITTER_MS, "NX");
  return run;
}

/** Who only submits sees its own runs; of all others it learns nothing, not even that they are there. */
export async function assertMayRead(request: FastifyRequest, redis: Redis, run: string): Promise<void> {
  const { principal } = request;
  if (principal?.roles.has("viewer") === true) return;
  if (principal === null || (await submitterOf(redis, run)) !== principal.name) {
    throw new AirlockError("RUN_NOT_FOUND", run);
  }
}

async function submitterOf(redis: Redis, run: string): Promise<string | null> {
  const [head] = await readRunHeads(redis, [run]);
  if (head instanceof AirlockError) return null;
  return head?.requestedBy ?? redis.get(globalKeys.consoleSubmitter(run));
}
