import type { FastifyRequest } from "fastify";
import { AirlockError } from "@airlock/core/fault";
import { readRunHeads } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

/** Who only submits sees its own runs; of all others it learns nothing, not even that they are there. */
export async function assertMayRead(request: FastifyRequest, redis: Redis, run: string): Promise<void> {
  const { principal } = request;
  if (principal?.roles.has("viewer") === true) return;
  const [head] = await readRunHeads(redis, [run]);
  const own =
    head !== null && head !== undefined && "requestedBy" in head && head.requestedBy === principal?.name;
  if (!own) throw new AirlockError("RUN_NOT_FOUND", run);
}
