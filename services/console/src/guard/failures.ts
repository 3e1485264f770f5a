import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errorFields, type Log } from "@airlock/core/runtime";
import { refuse, type Refusal } from "./refusal.ts";

/** What a handler threw becomes one of our own sentences: an error's message may quote what it choked on. */
export function registerFailures(app: FastifyInstance, log: Log): void {
  app.setNotFoundHandler((request, reply) => refuse(request, reply, "NOT_FOUND"));
  app.setErrorHandler((error, request, reply) => answerFailure(error, { request, reply, log }));
}

export function answerFailure(
  error: unknown,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly log: Log },
): FastifyReply {
  const refusal = refusalOf(error);
  if (refusal === "FAILED") at.log.write("error", "console_failed", errorFields(error));
  return refuse(at.request, at.reply, refusal);
}

function refusalOf(error: unknown): Refusal {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : 500;
  if (status === 413) return "TOO_LARGE";
  if (status === 429) return "TOO_MANY";
  return typeof status === "number" && status >= 400 && status < 500 ? "BAD_REQUEST" : "FAILED";
}
