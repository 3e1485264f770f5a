import type { FastifyReply, FastifyRequest } from "fastify";
import { errorPage } from "../page/error-page.ts";

/** Every refusal of the guard: the sentences are ours, and quote nothing of the request. */
export const REFUSALS = {
  HOST: { status: 421, title: "This is not an address of the console; see AIRLOCK_CONSOLE_ORIGIN" },
  ORIGIN: { status: 403, title: "The request comes from another site" },
  CSRF: { status: 403, title: "The form is too old or not of this session; load the page again" },
  LOGIN: { status: 401, title: "Sign in first" },
  TOKEN: { status: 401, title: "The token is not known" },
  PROXY: { status: 403, title: "Only the proxy may say who is asking" },
  STRANGER: { status: 403, title: "The proxy's user has no role here" },
  ROLE: { status: 403, title: "Your roles don't allow this" },
  NOT_FOUND: { status: 404, title: "There is nothing here" },
  TOO_LARGE: { status: 413, title: "The request is too large" },
  BAD_REQUEST: { status: 400, title: "The request can't be read" },
  TOO_MANY: { status: 429, title: "Too many requests; try again later" },
  FAILED: { status: 500, title: "Something went wrong; the console's log says what" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type Refusal = keyof typeof REFUSALS;

/** A page for people, a problem document for programs. */
export function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, title } = REFUSALS[refusal];
  if (status === 401 && refusal === "TOKEN") reply.header("www-authenticate", "Bearer");
  if (wantsPage(request)) {
    if (refusal === "LOGIN") return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
    return reply.status(status).type("text/html; charset=utf-8").send(errorPage({ status, title }));
  }
  return reply
    .status(status)
    .type("application/problem+json")
    .send(JSON.stringify({ type: "about:blank", title, status, code: refusal }));
}

function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  const reads = method === "GET" || method === "HEAD" || method === "POST";
  return reads && !url.startsWith("/api/") && (headers.accept ?? "").includes("text/html");
}
