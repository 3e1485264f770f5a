import type { FastifyReply, FastifyRequest } from "fastify";
import { AirlockError } from "@airlock/core/fault";
import type { Log } from "@airlock/core/runtime";
import { answerFailure } from "../../guard/index.ts";
import { errorPage } from "../error-page.tsx";

/** What a reader can do something about; everything else is the console's own to log. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["RUN_NOT_FOUND", 404],
  ["USAGE", 400],
]);

export function answerFault(
  error: unknown,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly log: Log },
): FastifyReply {
  const status = error instanceof AirlockError ? STATUS.get(error.code) : undefined;
  if (status === undefined || !(error instanceof AirlockError)) return answerFailure(error, at);
  const title = status === 404 ? "There is no such run or call, or it is not kept any more" : error.message;
  return at.reply.status(status).type("text/html; charset=utf-8").send(errorPage({ status, title }));
}
