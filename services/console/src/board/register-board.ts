// Bull Board in, a view of the queues with two buttons that work out: whatever else it can do is refused before it is asked.
import { createBullBoard } from "@bull-board/api";
import { FastifyAdapter } from "@bull-board/fastify";
import { Queue } from "bullmq";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { z } from "zod";
import { queuePrefix } from "@airlock/core/queue";
import { errorFields } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import { answerJob } from "./answer-job.ts";
import { boardQueue, queueNames } from "./board-queues.ts";
import { ownPage } from "./own-page.ts";

export const BOARD = "/board";

/** The only writes, by Bull Board's own patterns, and what each means. */
const ANSWERS = new Map<string, "approve" | "deny">([
  [`${BOARD}/api/queues/:queueName/:jobId/promote`, "approve"],
  [`${BOARD}/api/queues/:queueName/:jobId/clean`, "deny"],
]);
const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

export async function registerBoard(app: FastifyInstance, deps: Deps): Promise<void> {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(BOARD);
  const shown = new Set<string>();
  const board = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: "Airlock queues",
        hideRedisDetails: true,
        miscLinks: [{ text: "Airlock", url: "/" }],
      },
      // a second wall: even a write that came past the routes' roles would reach no queue
      handlerHooks: {
        before: ({ method }) => (method === "get" ? undefined : { allow: false, status: 403 }),
      },
    },
  });
  adapter.setErrorHandler((error) => {
    // such as a path that leads out of the folder of its scripts
    if ("statusCode" in error && Number(error.statusCode) < 500) {
      return { status: 404, body: { error: "ERRORS.NOT_FOUND" } };
    }
    deps.log.write("error", "console_failed", errorFields(error));
    return { status: 500, body: { error: "ERRORS.INTERNAL_SERVER_ERROR" } };
  });
  const showQueues = async (): Promise<void> => {
    for (const name of await queueNames(deps.redis)) {
      if (!shown.has(name)) board.addQueue(boardQueue(deps.redis, name));
      shown.add(name);
    }
  };
  app.addHook("onRoute", (route) => allow(route, deps));
  app.addHook("preHandler", async (request) => {
    if (READS.has(request.method)) await showQueues();
  });
  app.addHook("onSend", async (_request, reply, payload) => ownPage(reply, payload));
  await app.register(adapter.registerPlugin());
}

/** Deny by default: a write that a later Bull Board brings along is nobody's. */
function allow(route: RouteOptions, deps: Deps): void {
  const methods = [route.method].flat();
  const answer = ANSWERS.get(route.url);
  const reads = methods.every((method) => READS.has(method));
  const writes = methods.every((method) => method === "PUT") && answer !== undefined;
  route.config = { ...route.config, role: reads ? "viewer" : writes ? "approver" : "nobody" };
  if (reads || answer === undefined) return;
  // answers before Bull Board's own handler, which is never reached
  route.preHandler = async (request: FastifyRequest, reply: FastifyReply) =>
    pressed(request, reply, { deps, answer });
}

const paramsSchema = z.object({ queueName: z.string(), jobId: z.string().max(256) });

async function pressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, answer }: { readonly deps: Deps; readonly answer: "approve" | "deny" },
): Promise<FastifyReply> {
  const { queueName, jobId } = paramsSchema.parse(request.params);
  const { principal } = request;
  if (queueName !== "approvals" || principal === null) {
    return reply.status(403).send({ error: "ERRORS.FORBIDDEN", message: "Only approvals are answered here" });
  }
  const queue = new Queue(queueName, { connection: deps.redis, prefix: queuePrefix(queueName) });
  try {
    const job = await queue.getJob(jobId);
    const { status, message } = await answerJob(deps, job, { answer, by: principal.name });
    return status === 204
      ? reply.status(204).send()
      : reply.status(status).send({ error: "ERRORS.FORBIDDEN", message });
  } finally {
    await queue.close();
  }
}
