// A page that is open in, a word whenever it is out of date out: the stream holds no content, the page asks for itself anew
// and is judged as ever. Refuses more listeners than the console can bear.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseItemKey } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { assertMayRead } from "../page/handle/may-read.ts";
import { createStreamWatch } from "./stream-watch.ts";

const MOST_LISTENERS = 500;
const BEAT_MS = 15_000;
/** Where no stream tells of changes: leases, pools, the states of all runs. */
const CLOCK_MS = 5_000;
/** The browser comes again by itself, and passes the guard again. */
const LONGEST_MS = 10 * 60_000;

const runParams = z.object({ run: z.string().max(64) });
const itemParams = z.object({ item: z.string().max(128) });
const READERS = { role: ["viewer", "submitter"] } as const;

interface Source {
  readonly key: string | null;
  readonly clock: boolean;
}

export function registerLive(app: FastifyInstance, deps: Deps): void {
  const streams = createStreamWatch(deps.redis);
  const open = new Set<() => void>();
  app.addHook("preClose", async () => {
    for (const end of open) end();
    streams.close();
  });

  function follow(request: FastifyRequest, reply: FastifyReply, source: Source): FastifyReply {
    if (open.size >= MOST_LISTENERS) return reply.status(503).send("too many pages are open");
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...plainHeaders(reply), "content-type": "text/event-stream", "x-accel-buffering": "no" });
    raw.write("retry: 2000\n\n");
    const changed = (): void => void raw.write("event: changed\ndata: \n\n");
    const unwatch = source.key === null ? null : streams.watch(source.key, changed);
    const timers = [setInterval(() => void raw.write(":\n\n"), BEAT_MS)];
    if (source.clock) timers.push(setInterval(changed, CLOCK_MS));
    const last = setTimeout(() => raw.end(), LONGEST_MS);
    const end = (): void => void raw.end();
    open.add(end);
    request.raw.once("close", () => {
      open.delete(end);
      unwatch?.();
      timers.forEach(clearInterval);
      clearTimeout(last);
      raw.end();
    });
    return reply;
  }

  app.get("/live/runs", { config: READERS }, (request, reply) =>
    follow(request, reply, { key: globalKeys.feed, clock: true }),
  );
  app.get("/live/feed", { config: { role: "viewer" } }, (request, reply) =>
    follow(request, reply, { key: globalKeys.feed, clock: true }),
  );
  app.get("/live/clock", { config: { role: "viewer" } }, (request, reply) =>
    follow(request, reply, { key: null, clock: true }),
  );
  app.get("/live/runs/:run", { config: READERS }, async (request, reply) => {
    const { run } = runParams.parse(request.params);
    await assertMayRead(request, deps.redis, run);
    return follow(request, reply, { key: runKeys(run).events, clock: false });
  });
  app.get("/live/calls/:item", { config: { role: "viewer" } }, (request, reply) => {
    const run = parseItemKey(itemParams.parse(request.params).item)?.run;
    return follow(request, reply, { key: run === undefined ? null : runKeys(run).events, clock: false });
  });
}

function plainHeaders(reply: FastifyReply): Record<string, string> {
  const all = Object.entries(reply.getHeaders());
  return Object.fromEntries(all.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}
