// Takes the signed terminal record of a tool call with its sealed content, gives the call's verdict and decision,
// written once; refuses content that is not what the record names.
import { itemBodySchema, parseBody, type ItemBody, type RunEvent } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { itemKey as keyOf, openSealed, sha256Hex, verifyRecord } from "@airlock/core/record";
import { readCall, readItem, type CallHash } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { hostedToolName, manifestDigest } from "@airlock/core/tool";
import type { Verdict } from "@airlock/core/verdict";
import { perReading } from "../admission/per-reading.ts";
import type { Deps } from "../deps.ts";
import { decideCall } from "./decide-call.ts";
import { judgeHosted, knownHostedTool } from "./judge-hosted.ts";
import { quarantined, type AdmittedRun, type Judgement } from "./judgement.ts";

/** Judges an item once and returns its call as it stands; a second time it only returns it. */
export async function judgeItem(deps: Deps, run: AdmittedRun, itemKey: string): Promise<CallHash | null> {
  const judging = judgeStored(deps, run, itemKey);
  judging.catch(() => undefined); // of a call that was decided before, nobody asks what it comes to now
  const known = await readCall(deps.redis, itemKey);
  if (known !== null) return known;
  const judged = await judging;
  if (judged === null) return null;
  const { item, judgement } = judged;
  if (judgement.fields["settled"] !== undefined) await deps.store.noteRefused(item.run);
  const tool = toolOf(deps, run, item) ?? "(unregistered)";
  const { first, call } = await deps.store.decide(
    itemKey,
    {
      tool,
      callId: item.callId ?? "",
      argumentsKind: item.argumentsKind ?? "json",
      bytes: item.bytes,
      ...judgement.fields,
    },
    pathEvents({ itemKey, tool }, judgement),
  );
  const { decision } = judgement.decided;
  if (first && decision !== undefined)
    deps.metrics.count("airlock_policy_decisions_total", { policy: run.policy, decision });
  // counted with the decision that is kept: a call is judged again when it is released
  if (first && judgement.shadow !== null) {
    const labels = { policy: run.policy, ...judgement.shadow };
    deps.metrics.count("airlock_policy_shadow_differences_total", labels);
  }
  return call;
}

/** A name that nobody on this side has written is the model's own text, and told to nobody. */
function toolOf(deps: Deps, run: AdmittedRun, { kind, server, name }: ItemBody): string | null {
  if (kind === "approval_request") return knownHostedTool(deps, run, hostedToolName(server, name));
  return run.plan.tools.some((tool) => tool.name === name) ? name : null;
}

interface JudgedItem {
  readonly item: ItemBody;
  readonly judgement: Judgement;
}

const judgements = perReading<JudgedItem | null>();

/** The judgement that follows from the streamer's signed record, whatever stands in the call's own. */
export function judgeStored(deps: Deps, run: AdmittedRun, itemKey: string): Promise<JudgedItem | null> {
  return judgements(run, itemKey, () => judgeSigned(deps, run, itemKey));
}

async function judgeSigned(deps: Deps, run: AdmittedRun, itemKey: string): Promise<JudgedItem | null> {
  const opened = await openItem(deps, itemKey);
  if (opened === null) return null;
  return { item: opened.item, judgement: await judge(deps, run, opened) };
}

interface OpenedItem {
  readonly item: ItemBody;
  readonly content: string | null;
}

/** The item as its streamer signed it, with the content that it names. */
export async function openItem(
  deps: Pick<Deps, "redis" | "keyring">,
  itemKey: string,
): Promise<OpenedItem | null> {
  const stored = await readItem(deps.redis, itemKey);
  if (stored === null) return null;
  const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
  if (keyOf(item) !== itemKey)
    throw new AirlockError("RECORD_INVALID", "an item lies under another key than it names");
  return { item, content: openContent(deps, item, stored.content) };
}

function openContent(deps: Pick<Deps, "keyring">, item: ItemBody, sealed: string | null): string | null {
  if (item.contentDigest === null || sealed === null) return null;
  if (sha256Hex(sealed) !== item.contentDigest) {
    throw new AirlockError("RECORD_INVALID", "the content beside an item is not the one that was signed");
  }
  const place = runKeys(item.run).item(keyOf(item));
  return openSealed(deps.keyring, { seal: "calls", place }, sealed);
}

async function judge(
  deps: Deps,
  run: AdmittedRun,
  { item, content }: { readonly item: ItemBody; readonly content: string | null },
): Promise<Judgement> {
  if (item.state === "QUARANTINED" || content === null) {
    return quarantined([], item.errorClass ?? "ITEM_INCOMPLETE", "set aside by the streamer");
  }
  if (item.kind === "approval_request") return judgeHosted(deps, run, { item, content });
  const manifest = item.name === null ? undefined : deps.catalog.get(item.name);
  const pinned = run.plan.tools.find(({ name }) => name === item.name);
  if (manifest !== undefined && pinned !== undefined && manifestDigest(manifest) !== pinned.digest) {
    return quarantined([], "TOOL_DRIFT", "the manifest is not the one that the run pinned");
  }
  const { name, argumentsKind } = item;
  const allowedTools = new Set(run.plan.tools.map((tool) => tool.name));
  const verdict = deps.judge.judge({ name, argumentsKind, content, allowedTools });
  if (verdict.status === "QUARANTINED") return unreadable(verdict);
  if (manifest === undefined) return quarantined([], "TOOL_UNKNOWN", "the run has no tool of this name");
  return decideCall(deps, run, { itemKey: keyOf(item), manifest, args: verdict.arguments });
}

/** A schema that refuses has seen parsed arguments; every other refusal comes before that. */
function unreadable(verdict: Extract<Verdict, { status: "QUARANTINED" }>): Judgement {
  const parsed = verdict.errorClass === "SCHEMA_VIOLATION";
  return quarantined(parsed ? ["PARSED"] : [], verdict.errorClass, verdict.detail);
}

/** One event per state on the way; the last one says which rule or class it was. */
export function pathEvents(
  call: { readonly itemKey: string; readonly tool: string | null },
  { path, rule, errorClass }: Judgement,
): readonly RunEvent[] {
  return path.map((state, at) => {
    const last = at === path.length - 1;
    return {
      type: "item_state",
      ...call,
      state,
      rule: last ? rule : null,
      errorClass: last ? errorClass : null,
      bytes: null,
    };
  });
}
