// A page that is open in, a word whenever it is out of date out: the stream holds no content, the page asks for itself anew
// and is judged as ever. Refuses whom the page itself would refuse.
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseItemKey } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { assertMayRead } from "../page/handle/may-read.ts";
import { createListeners } from "./listeners.ts";

const runParams = z.object({ run: z.string().max(64) });
const itemParams = z.object({ item: z.string().max(128) });
const READERS = { role: ["viewer", "submitter"] } as const;

export function registerLive(app: FastifyInstance, deps: Deps): void {
  const listeners = createListeners(deps.redis);
  app.addHook("preClose", async () => listeners.close());

  app.get("/live/runs", { config: READERS }, (request, reply) =>
    listeners.follow(request, reply, { key: globalKeys.feed, clock: true }),
  );
  app.get("/live/feed", { config: { role: "viewer" } }, (request, reply) =>
    listeners.follow(request, reply, { key: globalKeys.feed, clock: true }),
  );
  app.get("/live/clock", { config: { role: "viewer" } }, (request, reply) =>
    listeners.follow(request, reply, { key: null, clock: true }),
  );
  app.get("/live/runs/:run", { config: READERS }, async (request, reply) => {
    const { run } = runParams.parse(request.params);
    await assertMayRead(request, deps.redis, run);
    return listeners.follow(request, reply, { key: runKeys(run).events, clock: false });
  });
  app.get("/live/calls/:item", { config: { role: "viewer" } }, (request, reply) => {
    const run = parseItemKey(itemParams.parse(request.params).item)?.run;
    return listeners.follow(request, reply, {
      key: run === undefined ? null : runKeys(run).events,
      clock: false,
    });
  });
}
