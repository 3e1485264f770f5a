import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** Bull Board, at `/board`. */
export async function registerBoard(_app: FastifyInstance, _deps: Deps): Promise<void> {}
