// What a handler threw in, a problem document (RFC 9457) out; it quotes nothing but our own sentences.
import type { FastifyInstance, FastifyReply } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { z } from "zod";
import { AirlockError, ERRORS, type ErrorCode } from "@airlock/core/fault";
import type { Log } from "@airlock/core/runtime";
import { answerFailure } from "../guard/index.ts";

const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string().optional(),
    /** each place of a request that does not fit */
    problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem" });
type Problem = z.infer<typeof problemSchema>;

/** Problems that only this interface has. */
const OWN = {
  IDEMPOTENCY_CONFLICT: { status: 409, title: "the idempotency key was used with another body" },
  ANSWER_CONFLICT: { status: 409, title: "it was answered before, for good or by you" },
  ANSWER_EXPIRED: { status: 409, title: "its time is over: nothing runs" },
  ANSWER_OWN_RUN: { status: 403, title: "who submitted a run can't answer for it" },
  ANSWER_GONE: { status: 404, title: "that question is not asked (any more)" },
  STREAMS_FULL: { status: 503, title: "too many event streams are open; try again later" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;
type OwnCode = keyof typeof OWN;

/** Errors of the rest of Airlock that a request can be to blame for, or that a client should know of. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  RECORD_INVALID: 400,
  REDIS_UNAVAILABLE: 503,
  RUN_NOT_FOUND: 404,
  SPEC_INVALID: 422,
  USAGE: 400,
};

/** Thrown by handlers for what only this interface refuses. */
export class ApiRefusal extends Error {
  readonly code: OwnCode;
  readonly detail: string | undefined;
  constructor(code: OwnCode, detail?: string) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

export function registerProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    return problem === null ? answerFailure(error, { request, reply, log }) : sendProblem(reply, problem);
  });
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .status(problem.status)
    .type("application/problem+json")
    .serializer(JSON.stringify)
    .send(problem);
}

function problemOf(error: unknown): Problem | null {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const problems = error.validation.map(({ instancePath, message = "does not fit" }) => ({
      path: `${error.validationContext ?? "request"}${instancePath}`,
      message,
    }));
    const title = "the request does not have the form that this operation takes";
    return { type: typeOf("REQUEST_INVALID"), title, status: 400, code: "REQUEST_INVALID", problems };
  }
  if (error instanceof ApiRefusal) {
    const { code, detail } = error;
    return { type: typeOf(code), ...OWN[code], code, ...(detail === undefined ? {} : { detail }) };
  }
  if (!(error instanceof AirlockError)) return null;
  const status = STATUS[error.code];
  if (status === undefined) return null;
  const { code, detail } = error;
  return { type: typeOf(code), title: ERRORS[code].message, status, code, detail };
}

function typeOf(code: string): string {
  return `urn:airlock:problem:${code.toLowerCase().replaceAll("_", "-")}`;
}

/** The answers that every operation may give besides its own. */
export const PROBLEMS = {
  "4xx": problemSchema.describe("the request is refused"),
  "5xx": problemSchema.describe("the console can't answer now"),
} as const;
