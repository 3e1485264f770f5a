import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { AirlockError } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import {
  hasExpired,
  listApprovalPage,
  readApproval,
  readApprovalEntry,
  readAsked,
  readQuestion as readLastQuestion,
} from "@airlock/operator/document";
import { answerCall, type AnswerResult } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { liveCall, liveFeed } from "../../live/index.ts";
import { Approval, type ApprovalProps } from "../view/approval.tsx";
import { Approvals, SAID } from "../view/approvals.tsx";
import { Notice } from "../view/notice.tsx";
import { readerOf, sendPage } from "./send-page.ts";

const itemParams = z.object({ item: z.string().max(128) });
const PAGE_SIZE = 50;

const listQuery = z.object({
  said: z.enum(SAID).nullable().catch(null),
  cursor: z.string().max(160).nullable().catch(null),
});
const answerForm = z.object({
  answer: z.enum(["approve", "deny"]),
  reason: z.string().trim().max(500).default(""),
  nonce: z.string().max(64),
});

export function registerApprovalPages(app: FastifyInstance, deps: Deps): void {
  app.get("/approvals", { config: { role: "viewer" } }, async (request, reply) => {
    const { said, cursor } = listQuery.parse(request.query);
    const live = cursor === null ? await liveFeed(deps.redis) : null;
    const page = await listApprovalPage(deps.access, { cursor, limit: PAGE_SIZE });
    return sendPage(reply, Approvals, { reader: readerOf(request), page, said, live });
  });

  app.get("/approvals/:item", { config: { role: "viewer" } }, async (request, reply) => {
    const { item } = itemParams.parse(request.params);
    return sendApproval(request, reply, { deps, item, problem: null });
  });

  app.get("/approvals/:item/arguments", { config: { role: "approver" } }, async (request, reply) => {
    const { item } = itemParams.parse(request.params);
    const { evidence, itemKey } = await readApproval(deps.access, item);
    return reply
      .type("application/json")
      .header("content-disposition", `attachment; filename="${itemKey}.json"`)
      .send(asciiJson(evidence.arguments));
  });

  app.post("/approvals/:item", { config: { role: "approver" } }, async (request, reply) => {
    const { item } = itemParams.parse(request.params);
    const form = answerForm.safeParse(request.body);
    const problem = "Say what you answer, and why in at most 500 characters.";
    if (!form.success) return sendApproval(request, reply.status(400), { deps, item, problem });
    if (form.data.answer === "deny" && form.data.reason === "") {
      const problem = "To deny it, say why.";
      return sendApproval(request, reply.status(400), { deps, item, problem });
    }
    const given = { ...form.data, itemKey: item, approver: readerOf(request).name };
    const result = await answerCall({ ...deps.access, approver: deps.approver }, given);
    return sendResult(request, reply, { item, result });
  });
}

const REFUSED: Readonly<Record<Exclude<AnswerResult["kind"], "stored">, string>> = {
  conflict: "It was answered before, by you or for good.",
  expired: "Its time is over: it has expired, and nothing runs.",
  requester: "You submitted this run; somebody else has to answer.",
  gone: "This question is not asked any more.",
};

function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  { item, result }: { readonly item: string; readonly result: AnswerResult },
): FastifyReply {
  if (result.kind === "stored") return reply.redirect(`/approvals?said=${result.outcome}`, 303);
  return sendGone(request, reply.status(409), { item, text: REFUSED[result.kind] });
}

function sendGone(
  request: FastifyRequest,
  reply: FastifyReply,
  { item, text }: { readonly item: string; readonly text: string },
): FastifyReply {
  const run = parseItemKey(item)?.run;
  const links = {
    ...(run === undefined ? {} : { "To its run": `/runs/${run}` }),
    "What waits": "/approvals",
  };
  return sendPage(reply, Notice, {
    reader: readerOf(request),
    title: "Your answer was not taken",
    text,
    links,
  });
}

interface Place {
  readonly deps: Deps;
  readonly item: string;
  readonly problem: string | null;
}

async function sendApproval(
  request: FastifyRequest,
  reply: FastifyReply,
  place: Place,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const live = await liveCall(place.deps.redis, place.item);
  const found = await readQuestion(place);
  if (found === null) {
    const run = parseItemKey(place.item)?.run;
    const links = {
      ...(run === undefined ? {} : { "To its run": `/runs/${run}` }),
      "What waits": "/approvals",
    };
    const question = await readLastQuestion(place.deps.access, place.item);
    const text =
      question !== null && hasExpired(question)
        ? REFUSED.expired
        : "It was answered, or its run ended. Its run's page says which.";
    return sendPage(reply.status(404), Notice, { reader, title: "This call waits for nobody", text, links });
  }
  const approver = reader.roles.has("approver");
  return sendPage(reply, Approval, {
    reader,
    live,
    entry: found.entry,
    evidence: approver ? found.evidence : null,
    nonce: approver ? found.nonce : null,
    fault: approver ? (place.problem ?? found.fault) : place.problem,
  });
}

type Question = Pick<ApprovalProps, "entry" | "evidence" | "fault" | "nonce">;

/** Arguments that are not those that were asked about can still be denied. */
async function readQuestion({ deps, item }: Place): Promise<Question | null> {
  try {
    const { evidence, ...entry } = await readApproval(deps.access, item);
    return { entry, evidence, nonce: evidence.nonce, fault: null };
  } catch (error) {
    if (!(error instanceof AirlockError)) throw error;
    if (error.code === "RUN_NOT_FOUND") return null;
    const [asked, entry] = await Promise.all([
      readAsked(deps.access, item),
      readApprovalEntry(deps.access, item),
    ]);
    if (asked === null || entry === null) return null;
    return { entry, evidence: null, nonce: asked.ask.nonce, fault: `${error.code}: ${error.message}` };
  }
}

/** Nothing in it can hide or change its direction, whatever opens it. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[^\x20-\x7e\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
