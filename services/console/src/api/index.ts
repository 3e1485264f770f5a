import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** The HTTP API, at `/api/v1`. */
export async function registerApi(_app: FastifyInstance, _deps: Deps): Promise<void> {}
