// A run and a place in its events in, an open stream of what comes behind it out; refuses more streams than the console bears.
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { runEventSchema } from "@airlock/core/contract";
import { assertSubmitted } from "@airlock/operator/document";
import { followPlaced, readPlaced, type PlacedEvent } from "@airlock/operator/follow";
import type { Deps } from "../../deps.ts";
import { assertMayRead } from "../../identity/index.ts";
import { whileSession } from "../../session/index.ts";
import { runParams } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { createStreamBound } from "../stream-bound.ts";
import { nameOf, type Typed } from "../typed.ts";

const BEAT_MS = 15_000;

const place = z.string().regex(/^\d{1,16}-\d{1,16}$/, "not a place in a stream of events");

const placedEventSchema = z.strictObject({ id: z.string(), at: z.string(), event: runEventSchema });

export function registerRunEvents(app: Typed, deps: Deps): void {
  const { open, closeAll } = createStreamBound();
  app.addHook("preClose", async () => closeAll());
  app.get(
    "/runs/:run/events",
    {
      config: { role: ["viewer", "submitter"] },
      schema: {
        operationId: "followRun",
        description:
          "An event stream of the run's events, until its end: `id` is the place, `data` the event. " +
          "`Last-Event-ID`, or `after`, goes on behind a place; `follow=false` ends with what there is.",
        params: runParams,
        querystring: z.strictObject({ after: place.optional(), follow: z.stringbool().default(true) }),
        headers: z.object({ "last-event-id": place.optional() }),
        produces: ["text/event-stream"],
        response: { 200: placedEventSchema.describe("the data of each event"), ...PROBLEMS },
      },
    },
    async (request, reply) => {
      const { run } = request.params;
      await assertMayRead(request, deps.redis, run);
      await assertSubmitted(deps.redis, run);
      const after = request.headers["last-event-id"] ?? request.query.after ?? null;
      const controller = open(nameOf(request));
      reply.raw.once("close", () => controller.abort());
      const { signal } = controller;
      const unlook = whileSession(request, deps, () => controller.abort());
      try {
        const events = request.query.follow
          ? followPlaced(deps.redis, run, { after, signal })
          : await readPlaced(deps.redis, run, after);
        await send(reply, events, signal);
      } finally {
        unlook();
        controller.abort();
      }
      return reply;
    },
  );
}

function messageOf(placed: PlacedEvent): string {
  return `id: ${placed.id}\ndata: ${JSON.stringify(placed)}\n\n`;
}

/** Waits where the reader is slow: what it has not taken yet is read from Redis later. */
async function send(
  reply: FastifyReply,
  events: AsyncIterable<PlacedEvent> | Iterable<PlacedEvent>,
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
    for await (const event of events) {
      const taken = raw.write(messageOf(event));
      if (!taken) await once(raw, "drain", { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    raw.end();
  }
}
