import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** The script and the stylesheet of the pages, at `/assets`. */
export async function registerAssets(_app: FastifyInstance, _deps: Deps): Promise<void> {}
