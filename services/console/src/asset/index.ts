import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** Files of this package, so that the same path holds from the sources and from what is built. */
const FOLDER = new URL("../../assets/", import.meta.url);

const ASSETS = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "airlock.svg": "image/svg+xml",
} as const satisfies Record<string, string>;

/** The script, the stylesheet and the sign of the pages, at `/assets`: held in memory, so that no path leads to a file. */
export async function registerAssets(app: FastifyInstance, _deps: Deps): Promise<void> {
  for (const [name, type] of Object.entries(ASSETS)) {
    const body = readFileSync(new URL(name, FOLDER));
    const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    app.get(`/${name}`, { config: { role: "public" } }, (request, reply) => {
      reply.header("etag", tag).header("cache-control", "no-cache");
      return request.headers["if-none-match"] === tag
        ? reply.status(304).send()
        : reply.type(type).send(body);
    });
  }
}
