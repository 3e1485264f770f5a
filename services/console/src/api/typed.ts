import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";

import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ActingAccess } from "@airlock/operator/order";
import type { Deps } from "../deps.ts";

/** An instance whose routes take their types from their schemas. */
export type Typed = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Every order names who asked. The guard lets nobody here who is nobody. */
export function actingAs(request: Pick<FastifyRequest, "principal">, { access }: Deps): ActingAccess {
  return { ...access, by: nameOf(request) };
}

export function nameOf({ principal }: Pick<FastifyRequest, "principal">): string {
  if (principal === null) throw new Error("an operation without a principal");
  return principal.name;
}
