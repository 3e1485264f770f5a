import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { readRun, ACTION_ANSWERS, runStateSchema } from "@airlock/core/run";
import {
  assertSubmitted,
  listRunPage,
  readDiffDocument,
  readRunDocument,
  readRunEntry,
  type RunQuery,
} from "@airlock/operator/document";
import { readEvents } from "@airlock/operator/follow";
import { awaitAnswer, cancelRun, endOfAudit, sendAction } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { liveFeed, liveRun } from "../../live/index.ts";
import { storyOf } from "../steps.ts";
import { Notice } from "../view/notice.tsx";
import { RunDiff } from "../view/run-diff.tsx";
import { Run } from "../view/run.tsx";
import { Runs } from "../view/runs.tsx";
import { actsOf } from "../view/run-actions.tsx";
import { assertMayRead } from "../../identity/index.ts";
import { readerOf, sendPage } from "./send-page.ts";

const PAGE_SIZE = 50;
/** How long a form waits for a validator; the command stays when it is over. */
const ANSWER_MS = 10_000;

const READERS = { role: ["viewer", "submitter"] } as const;

const listQuery = z.object({
  state: z.string().max(40).default(""),
  label: z.string().max(300).default(""),
  cursor: z.string().max(80).default(""),
});
const runParams = z.object({ run: z.string().max(64) });
const actForm = z.object({
  act: z.enum(["cancel", "requeue", "abandon"]),
  reason: z.string().trim().min(1).max(200),
});

export function registerRunPages(app: FastifyInstance, deps: Deps): void {
  const { redis } = deps;
  app.get("/runs", { config: READERS }, async (request, reply) => {
    const filter = listQuery.parse(request.query);
    const live = await liveFeed(redis);
    const page = await listRunPage(redis, queryOf(request, filter));
    return sendPage(reply, Runs, { reader: readerOf(request), page, filter, live });
  });

  app.get("/runs/:run", { config: READERS }, async (request, reply) => {
    const { run: id } = runParams.parse(request.params);
    await assertMayRead(request, redis, id);
    const live = await liveRun(redis, id);
    const [run, entry, events] = await Promise.all([
      readRunDocument(deps, id),
      readRunEntry(redis, id),
      readEvents(redis, id),
    ]);
    return sendPage(reply, Run, { reader: readerOf(request), run, entry, story: storyOf(events), live });
  });

  app.get("/runs/:run/diff", { config: READERS }, async (request, reply) => {
    const { run } = runParams.parse(request.params);
    await assertMayRead(request, redis, run);
    return sendPage(reply, RunDiff, {
      reader: readerOf(request),
      document: await readDiffDocument(deps, run),
    });
  });

  app.post("/runs/:run", { config: { role: ["submitter"] } }, async (request, reply) => {
    const { run } = runParams.parse(request.params);
    await assertMayRead(request, redis, run);
    const text = await act(request, deps, run);
    if (text === null) return reply.redirect(`/runs/${run}`, 303);
    const links = { "To the run": `/runs/${run}`, "All runs": "/runs" };
    return sendPage(reply.status(409), Notice, {
      reader: readerOf(request),
      title: "Nothing was done",
      text,
      links,
    });
  });
}

function queryOf(request: FastifyRequest, filter: z.infer<typeof listQuery>): RunQuery {
  const { principal } = request;
  const [name = "", ...value] = filter.label.split("=");
  return {
    state: runStateSchema.safeParse(filter.state).data ?? null,
    label: name === "" ? null : { name, value: value.join("=") },
    requestedBy: principal?.roles.has("viewer") === true ? null : (principal?.name ?? ""),
    cursor: filter.cursor === "" ? null : filter.cursor,
    limit: PAGE_SIZE,
  };
}

/** Null where it was done, else why it was not. */
async function act(request: FastifyRequest, deps: Deps, run: string): Promise<string | null> {
  const form = actForm.safeParse(request.body);
  if (!form.success) return "It needs a reason of at most 200 characters.";
  const { act: kind, reason } = form.data;
  await assertSubmitted(deps.redis, run);
  const reader = readerOf(request);
  const [document, head] = await Promise.all([readRunDocument(deps, run), readRun(deps.redis, run)]);
  const acts = actsOf({ reader, run: document, requestedBy: head?.requestedBy ?? null });
  if (!acts.some((each) => each.act === kind)) {
    return `A run that is ${document.state} can't be treated so, or not by you.`;
  }
  const access = { ...deps.access, by: reader.name };
  if (kind === "cancel") {
    await cancelRun(access, run, reason);
    return null;
  }
  const after = await endOfAudit(deps.redis);
  const id = await sendAction(access, { run, kind, target: run, round: head?.requeues ?? 0, reason });
  const answer = await awaitAnswer(deps.redis, { id, after, timeoutMs: ANSWER_MS });
  if (answer === null) return "No validator has answered yet; the order waits for one.";
  return ACTION_ANSWERS[answer].done ? null : ACTION_ANSWERS[answer].meaning;
}
