// A page that is open in, a word whenever it is out of date out: the stream holds no content, the page asks for itself anew
// and is judged as ever. Refuses whom the page itself would refuse.
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseItemKey } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { assertMayRead } from "../identity/index.ts";
import { createListeners } from "./listeners.ts";

const runParams = z.object({ run: z.string().max(64) });
const itemParams = z.object({ item: z.string().max(128) });
const seenQuery = z.object({ after: z.string().max(40).default("") });

export function registerLive(app: FastifyInstance, deps: Deps): void {
  const listeners = createListeners(deps);
  app.addHook("preClose", async () => listeners.close());

  // a submitter's list too: that something happened somewhere tells nothing of what
  app.get("/live/feed", { config: { role: ["viewer", "submitter"] } }, (request, reply) => {
    const { after } = seenQuery.parse(request.query);
    return listeners.follow(reply, { stream: { key: globalKeys.feed, after }, clock: true });
  });
  app.get("/live/clock", { config: { role: "viewer" } }, (_, reply) =>
    listeners.follow(reply, { stream: null, clock: true }),
  );
  app.get("/live/runs/:run", { config: { role: ["viewer", "submitter"] } }, async (request, reply) => {
    const { run } = runParams.parse(request.params);
    await assertMayRead(request, deps.redis, run);
    const { after } = seenQuery.parse(request.query);
    return listeners.follow(reply, { stream: { key: runKeys(run).events, after }, clock: false });
  });
  app.get("/live/calls/:item", { config: { role: "viewer" } }, (request, reply) => {
    const run = parseItemKey(itemParams.parse(request.params).item)?.run ?? "";
    const { after } = seenQuery.parse(request.query);
    return listeners.follow(reply, { stream: { key: runKeys(run).events, after }, clock: false });
  });
}
