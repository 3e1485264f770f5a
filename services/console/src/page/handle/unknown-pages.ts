import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { FINDINGS } from "@airlock/core/contract";
import { parseItemKey } from "@airlock/core/record";
import { ACTION_ANSWERS } from "@airlock/core/run";
import { listUnknownPage, readLedger } from "@airlock/operator/document";
import { awaitAnswer, endOfAudit, sendResolution } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { liveFeed } from "../../live/index.ts";
import { Notice } from "../view/notice.tsx";
import { Unknown } from "../view/unknown.tsx";
import { readerOf, sendPage } from "./send-page.ts";

const ANSWER_MS = 10_000;

const PAGE_SIZE = 50;

const listQuery = z.object({ cursor: z.string().max(160).nullable().catch(null) });
const itemParams = z.object({ item: z.string().max(128) });
const foundForm = z.object({ finding: z.enum(FINDINGS), reason: z.string().trim().min(1).max(200) });

export function registerUnknownPages(app: FastifyInstance, deps: Deps): void {
  app.get("/unknown", { config: { role: "viewer" } }, async (request, reply) => {
    const { cursor } = listQuery.parse(request.query);
    const live = cursor === null ? await liveFeed(deps.redis) : null;
    const page = await listUnknownPage(deps, { run: null, cursor, limit: PAGE_SIZE });
    return sendPage(reply, Unknown, { reader: readerOf(request), page, live });
  });

  app.post("/unknown/:item", { config: { role: "operator" } }, async (request, reply) => {
    const { item } = itemParams.parse(request.params);
    const text = await resolve(request, deps, item);
    if (text === null) return reply.redirect("/unknown", 303);
    const links = { "Unknown outcomes": "/unknown" };
    return sendPage(reply.status(409), Notice, {
      reader: readerOf(request),
      title: "Nothing was resolved",
      text,
      links,
    });
  });
}

/** Null where it was done, else why it was not. */
async function resolve(request: FastifyRequest, deps: Deps, target: string): Promise<string | null> {
  const form = foundForm.safeParse(request.body);
  if (!form.success) return "Say what you found, and how in at most 200 characters.";
  await readLedger(deps, target, { raw: false });
  const after = await endOfAudit(deps.redis);
  const access = { ...deps.access, by: readerOf(request).name };
  const id = await sendResolution(access, { run: parseItemKey(target)?.run ?? "", target, ...form.data });
  const answer = await awaitAnswer(deps.redis, { id, after, timeoutMs: ANSWER_MS });
  if (answer === null) return "Nobody has answered yet; the finding waits for an executor.";
  return ACTION_ANSWERS[answer].done ? null : ACTION_ANSWERS[answer].meaning;
}
