// A run and a place in its events in, an open stream of what comes behind it out; refuses more streams than the console bears.
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { runEventSchema } from "@airlock/core/contract";
import { assertSubmitted } from "@airlock/operator/document";
import { followPlaced, type PlacedEvent } from "@airlock/operator/follow";
import type { Deps } from "../../deps.ts";
import { assertMayRead } from "../../page/handle/may-read.ts";
import { runParams } from "../parameters.ts";
import { ApiRefusal, PROBLEMS } from "../problem.ts";
import type { Typed } from "../typed.ts";

/** Each holds a connection to Redis. */
const MOST_STREAMS = 100;
const BEAT_MS = 15_000;

const place = z.string().regex(/^\d{1,16}-\d{1,16}$/, "not a place in a stream of events");

export const placedEventSchema = z.strictObject({ id: z.string(), at: z.string(), event: runEventSchema });

export function registerRunEvents(app: Typed, deps: Deps): void {
  const open = new Set<AbortController>();
  app.addHook("preClose", async () => {
    for (const each of open) each.abort();
  });
  app.get(
    "/runs/:run/events",
    {
      config: { role: ["viewer", "submitter"] },
      schema: {
        operationId: "followRun",
        description:
          "An event stream of the run's events, until its end: `id` is the place, `data` the event. " +
          "`Last-Event-ID`, or `after`, goes on behind a place.",
        params: runParams,
        querystring: z.strictObject({ after: place.optional() }),
        headers: z.object({ "last-event-id": place.optional() }),
        produces: ["text/event-stream"],
        response: { 200: placedEventSchema.describe("the data of each event"), ...PROBLEMS },
      },
    },
    async (request, reply) => {
      const { run } = request.params;
      await assertMayRead(request, deps.redis, run);
      await assertSubmitted(deps.redis, run);
      if (open.size >= MOST_STREAMS) throw new ApiRefusal("STREAMS_FULL");
      const after = request.headers["last-event-id"] ?? request.query.after ?? null;
      const controller = new AbortController();
      open.add(controller);
      reply.raw.once("close", () => controller.abort());
      try {
        const { signal } = controller;
        await send(reply, followPlaced(deps.redis, run, { after, signal }), signal);
      } finally {
        open.delete(controller);
      }
      return reply;
    },
  );
}

/** Waits where the reader is slow: what it has not taken yet is read from Redis later. */
async function send(
  reply: FastifyReply,
  events: AsyncIterable<PlacedEvent>,
  signal: AbortSignal,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  raw.writeHead(200, {
    ...Object.fromEntries(headers),
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
  });
  raw.write(":\n\n");
  const beat = setInterval(() => void raw.write(":\n\n"), BEAT_MS);
  try {
    for await (const { id, at, event } of events) {
      const taken = raw.write(`id: ${id}\ndata: ${JSON.stringify({ id, at, event })}\n\n`);
      if (!taken) await once(raw, "drain", { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    raw.end();
  }
}
