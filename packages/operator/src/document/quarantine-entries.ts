// A run's records in, everything of it that was refused out: identifiers, sizes, classes and reasons, no content.
import { AirlockError } from "@airlock/core/fault";
import { itemBodySchema, parseBody, responseBodySchema, type ResponseBody } from "@airlock/core/contract";
import { attemptKey, verifyRecord, type AttemptParts, type Keyring } from "@airlock/core/record";
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
  type RunHash,
  type TurnHash,
} from "@airlock/core/run";
import { runKeys, type Redis } from "@airlock/core/store";
import { callKeys } from "./call-keys.ts";
import { callFacts, type EntryState, type QuarantineEntry } from "./quarantine-entry.ts";

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
  /** whether the run's end waits for a person */
  readonly waits: boolean;
}

/**
 * The run itself first, then by turn and attempt; null where there is no such run. One with a record that can't be read
 * is one entry that says so.
 */
export async function entriesOf(deps: Deps, id: string): Promise<readonly QuarantineEntry[] | null> {
  const run = await readRun(deps.redis, id);
  if (run === null) return null;
  const waits = await waitsForPerson(deps.redis, id, run);
  const context = { ...deps, id, run, waits, actions: await readActions(deps.redis, id) };
  const turns = Array.from({ length: run.turn }, (_, at) => at + 1);
  try {
    const parts = await Promise.all(turns.map((turn) => turnEntries(context, turn)));
    return [...runEntry(context), ...parts.flat()];
  } catch (error) {
    if (!(error instanceof AirlockError) || !UNREADABLE.has(error.code)) throw error;
    return [unreadableEntry(context, error)];
  }
}

/** One of unknown outcome does so as long as somebody has to find out about one of its calls. */
async function waitsForPerson(redis: Redis, id: string, { state }: RunHash): Promise<boolean> {
  if (state === "outcome_unknown") return (await redis.exists(runKeys(id).unknown)) === 1;
  return WAITING.has(state);
}

/** A record that was tampered with, whose key is no longer known here, or that another version wrote. */
const UNREADABLE: ReadonlySet<AirlockError["code"]> = new Set(["RECORD_INVALID", "SCHEMA_VERSION"]);

function unreadableEntry(context: Context, { code, message }: AirlockError): QuarantineEntry {
  const { id, run } = context;
  return {
    ...nothing(context, run.turn, null),
    id,
    kind: "run",
    state: run.state === "abandoned" ? "abandoned" : "open",
    ended: run.state,
    errorClass: run.errorClass ?? null,
    reason: `its refusals can't be listed: ${code}, ${message}`,
  };
}

function runEntry(context: Context): readonly QuarantineEntry[] {
  const { id, run } = context;
  if (!WAITING.has(run.state) && run.state !== "abandoned") return [];
  const waiting = context.waits ? "open" : "passed";
  return [
    {
      ...nothing(context, run.turn, null),
      id,
      kind: "run",
      state: run.state === "abandoned" ? "abandoned" : waiting,
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
function stateOf({ run, actions, waits }: Context, turn: number, attempt: number): EntryState {
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
  return waits ? "open" : "passed";
}

async function turnEntries(context: Context, turn: number): Promise<readonly QuarantineEntry[]> {
  const hash = await readTurn(context.redis, context.id, turn);
  if (hash === null) return [];
  const attempts = Array.from({ length: hash.attempt }, (_, at) => at + 1);
  const parts = attempts.map((attempt) => attemptEntries(context, hash, { run: context.id, turn, attempt }));
  return (await Promise.all(parts)).flat();
}

async function attemptEntries(
  context: Context,
  { refusals }: TurnHash,
  place: AttemptParts,
): Promise<readonly QuarantineEntry[]> {
  const hash = await readAttempt(context.redis, place);
  if (hash?.record === undefined) return [];
  const record: unknown = JSON.parse(hash.record);
  const body = parseBody(responseBodySchema, verifyRecord(context.keyring, "response", record));
  const refusal = refusals.get(place.attempt) ?? null;
  const calls = await Promise.all(callKeys(body).map((key) => callEntry(context, body, key)));
  const output =
    refusal === null ? responseEntry(context, body, hash) : [artifactEntry(context, body, refusal)];
  return [...output, ...calls.flat()];
}

function responseEntry(context: Context, body: ResponseBody, hash: AttemptHash): readonly QuarantineEntry[] {
  const { outcome, errorClass } = body;
  if (outcome.kind === "candidate_complete" || outcome.kind === "action_required") return [];
  return [{ ...ofResponse(context, body), kind: "response", errorClass, rawUntil: iso(hash.rawUntil) }];
}

/** A final output that was not taken. Its text is part of the conversation, and ends with the run. */
function artifactEntry(context: Context, body: ResponseBody, reason: string): QuarantineEntry {
  const { keepUntil } = context.run;
  const errorClass = "ARTIFACT_INVALID";
  return { ...ofResponse(context, body), kind: "artifact", errorClass, reason, rawUntil: iso(keepUntil) };
}

function ofResponse(context: Context, body: ResponseBody): Omit<QuarantineEntry, "kind"> {
  const { turn, attempt, outcome, transport, responseId } = body;
  return {
    ...nothing(context, turn, attempt),
    id: attemptKey(body),
    state: stateOf(context, turn, attempt),
    responseId,
    ended: outcome.kind,
    bytes: transport.bytes,
    lastEvent: transport.lastEvent ?? null,
    transportEnd: transport.end,
  };
}

/** Done, answered to the provider that runs it, or not looked at yet. */
const NOT_ASIDE: ReadonlySet<string> = new Set(["EXECUTED", "POLICY_APPROVED", "ITEM_TERMINAL", ""]);

async function callEntry(
  context: Context,
  response: ResponseBody,
  key: string,
): Promise<readonly QuarantineEntry[]> {
  const [call, stored] = await Promise.all([readCall(context.redis, key), readItem(context.redis, key)]);
  const item =
    stored === null ? null : parseBody(itemBodySchema, verifyRecord(context.keyring, "item", stored.record));
  const ended = call?.settled ?? item?.state ?? "";
  if (NOT_ASIDE.has(ended)) return [];
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
      callId: (call?.callId ?? item?.callId) || null,
      ended,
      errorClass: call?.errorClass ?? item?.errorClass ?? null,
      bytes: item?.bytes ?? call?.bytes ?? null,
      lastEvent: item?.lastEvent ?? null,
      transportEnd: response.transport.end,
      rawUntil: iso(stored?.rawUntil ?? call?.rawUntil),
    },
  ];
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
