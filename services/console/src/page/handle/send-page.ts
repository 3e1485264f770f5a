import type { FastifyReply, FastifyRequest } from "fastify";
import type { ComponentType } from "preact";
import type { Reader } from "../reader.ts";
import { renderPage } from "../render.ts";

/** Throws where the guard let nobody in: pages are made for somebody. */
export function readerOf(request: FastifyRequest): Reader {
  const { principal, csrf } = request;
  if (principal === null) throw new Error(`${request.routeOptions.url ?? ""} was reached without a login`);
  return { name: principal.name, roles: principal.roles, csrf, now: Date.now() };
}

export function sendPage<Props extends object>(
  reply: FastifyReply,
  page: ComponentType<Props>,
  props: Props,
): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(renderPage(page, props));
}
