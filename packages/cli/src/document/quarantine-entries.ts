// A run's records in, everything of it that was refused out: identifiers, sizes, classes and reasons, no content.
import { itemBodySchema, parseBody, responseBodySchema, type ResponseBody } from "@airlock/core/contract";
import { attemptKey, itemKey, verifyRecord, type Keyring } from "@airlock/core/record";
import {
  ACTION_ANSWERS,
  readActions,
  readAttempt,
  readCall,
  readItem,
  readRun,
  readTurn,
  type ActionRecord,
  type AttemptHash,
  type CallHash,
  type RunHash,
} from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

export const ENTRY_STATES = ["open", "requeued", "abandoned", "passed"] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** One refusal. Times are ISO; null is what doesn't apply, or isn't known. */
export interface QuarantineEntry {
  /** what the other commands take: the run, the attempt or the item */
  readonly id: string;
  readonly kind: "run" | "response" | "artifact" | "call";
  readonly state: EntryState;
  readonly run: string;
  readonly turn: number;
  readonly attempt: number | null;
  readonly itemKey: string | null;
  readonly responseId: string | null;
  readonly callId: string | null;
  readonly tool: string | null;
  /** the state in which it ended */
  readonly ended: string;
  readonly errorClass: string | null;
  readonly rule: string | null;
  readonly reason: string | null;
  readonly bytes: number | null;
  readonly lastEvent: string | null;
  /** how the connection ended */
  readonly transportEnd: string | null;
  /** until when content is kept */
  readonly rawUntil: string | null;
  /** until when anything is */
  readonly keepUntil: string | null;
}

export interface Deps {
  readonly redis: Redis;
  readonly keyring: Keyring;
}

/** Ends that wait for a person. */
const WAITING: ReadonlySet<string> = new Set([
  "escalated",
  "truncated",
  "failed",
  "denied",
  "policy_stopped",
  "outcome_unknown",
]);

interface Context extends Deps {
  readonly id: string;
  readonly run: RunHash;
  readonly actions: readonly ActionRecord[];
}

/** The run itself first, then by turn and attempt; null where there is no such run. */
export async function entriesOf(deps: Deps, id: string): Promise<readonly QuarantineEntry[] | null> {
  const run = await readRun(deps.redis, id);
  if (run === null) return null;
  const context = { ...deps, id, run, actions: await readActions(deps.redis, id) };
  const turns = Array.from({ length: run.turn }, (_, at) => at + 1);
  const parts = await Promise.all(turns.map((turn) => turnEntries(context, turn)));
  return [...runEntry(context), ...parts.flat()];
}

function runEntry(context: Context): readonly QuarantineEntry[] {
  const { id, run } = context;
  if (!WAITING.has(run.state) && run.state !== "abandoned") return [];
  return [
    {
      ...nothing(context, run.turn, null),
      id,
      kind: "run",
      state: run.state === "abandoned" ? "abandoned" : "open",
      ended: run.state,
      errorClass: run.errorClass ?? null,
      reason: run.detail ?? null,
    },
  ];
}

function nothing(
  { id, run }: Context,
  turn: number,
  attempt: number | null,
): Omit<QuarantineEntry, "id" | "kind" | "state" | "ended"> {
  return {
    run: id,
    turn,
    attempt,
    itemKey: null,
    responseId: null,
    callId: null,
    tool: null,
    errorClass: null,
    rule: null,
    reason: null,
    bytes: null,
    lastEvent: null,
    transportEnd: null,
    rawUntil: null,
    keepUntil: iso(run.keepUntil),
  };
}

/** What an attempt of a turn left behind stands as long as its turn is the one that the run ended at. */
function stateOf({ run, actions }: Context, turn: number, attempt: number): EntryState {
  const requeued = actions.some(
    (action) =>
      action.kind === "requeue" &&
      ACTION_ANSWERS[action.answer].done &&
      action.turn === turn &&
      action.attempt >= attempt,
  );
  if (requeued) return "requeued";
  if (turn !== run.turn) return "passed";
  if (run.state === "abandoned") return "abandoned";
  return WAITING.has(run.state) ? "open" : "passed";
}

async function turnEntries(context: Context, turn: number): Promise<readonly QuarantineEntry[]> {
  const last = (await readTurn(context.redis, context.id, turn))?.attempt ?? 0;
  const attempts = Array.from({ length: last }, (_, at) => at + 1);
  return (await Promise.all(attempts.map((attempt) => attemptEntries(context, turn, attempt)))).flat();
}

async function attemptEntries(
  context: Context,
  turn: number,
  attempt: number,
): Promise<readonly QuarantineEntry[]> {
  const place = { run: context.id, turn, attempt };
  const hash = await readAttempt(context.redis, place);
  if (hash?.record === undefined) return [];
  const record: unknown = JSON.parse(hash.record);
  const body = parseBody(responseBodySchema, verifyRecord(context.keyring, "response", record));
  const calls = await Promise.all(
    body.items
      .filter(({ kind }) => kind === "tool_call")
      .map(({ ordinal }) => callEntry(context, body, itemKey({ ...place, ordinal }))),
  );
  return [...responseEntry(context, body, hash), ...calls.flat()];
}

function responseEntry(context: Context, body: ResponseBody, hash: AttemptHash): readonly QuarantineEntry[] {
  const { turn, attempt, outcome, errorClass, transport } = body;
  const invalid = isInvalidArtifact(context.run, body);
  if (!invalid && (outcome.kind === "candidate_complete" || outcome.kind === "action_required")) return [];
  return [
    {
      ...nothing(context, turn, attempt),
      id: attemptKey(body),
      kind: invalid ? "artifact" : "response",
      state: stateOf(context, turn, attempt),
      responseId: body.responseId,
      ended: outcome.kind,
      errorClass: invalid ? "ARTIFACT_INVALID" : errorClass,
      bytes: transport.bytes,
      lastEvent: transport.lastEvent ?? null,
      transportEnd: transport.end,
      rawUntil: iso(hash.rawUntil),
    },
  ];
}

/** A final output that neither ended its run well nor was taken back: only an invalid one is followed by anything. */
function isInvalidArtifact(run: RunHash, { turn, outcome }: ResponseBody): boolean {
  if (outcome.kind !== "candidate_complete") return false;
  return turn < run.turn || run.errorClass === "CORRECTIONS_EXHAUSTED";
}

async function callEntry(
  context: Context,
  response: ResponseBody,
  key: string,
): Promise<readonly QuarantineEntry[]> {
  const [call, stored] = await Promise.all([readCall(context.redis, key), readItem(context.redis, key)]);
  const item =
    stored === null ? null : parseBody(itemBodySchema, verifyRecord(context.keyring, "item", stored.record));
  const ended = call?.settled ?? item?.state ?? "";
  if (ended === "EXECUTED" || ended === "ITEM_TERMINAL" || ended === "") return [];
  const { turn, attempt } = response;
  return [
    {
      ...nothing(context, turn, attempt),
      ...callFacts(call),
      id: key,
      kind: "call",
      state: stateOf(context, turn, attempt),
      itemKey: key,
      responseId: response.responseId,
      callId: call?.callId ?? item?.callId ?? null,
      ended,
      errorClass: call?.errorClass ?? item?.errorClass ?? null,
      bytes: item?.bytes ?? call?.bytes ?? null,
      lastEvent: item?.lastEvent ?? null,
      transportEnd: response.transport.end,
      rawUntil: iso(stored?.rawUntil ?? call?.rawUntil),
    },
  ];
}

function callFacts(call: CallHash | null): Pick<QuarantineEntry, "tool" | "rule" | "reason"> {
  return { tool: call?.tool ?? null, rule: call?.rule ?? null, reason: call?.detail ?? null };
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
