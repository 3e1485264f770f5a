// A run's id in, the document of `show --json` out: identifiers, states, decisions, and the artifact.
// Refuses runs that nobody submitted, and records that their producer didn't sign.
import { z } from "zod";
import { isFinal } from "@airlock/core/call";
import { itemBodySchema, parseBody, responseBodySchema, type ResponseBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { createLedger, type LedgerEntry } from "@airlock/core/ledger";
import { isRunId, openSealed, verifyRecord, type Keyring } from "@airlock/core/record";
import {
  readAttempt,
  readCall,
  readItemRecord,
  readRun,
  readTurn,
  type AttemptHash,
  type RunHash,
} from "@airlock/core/run";
import { runKeys, type Redis } from "@airlock/core/store";
import { callKeys } from "./call-keys.ts";

const callDocumentSchema = z.strictObject({
  itemKey: z.string(),
  callId: z.string(),
  tool: z.string(),
  state: z.string(),
  decision: z.string().nullable(),
  rules: z.array(z.string()).readonly(),
  errorClass: z.string().nullable(),
  resultBytes: z.int().nullable(),
  /** what people should know of it although it decides nothing */
  flags: z.array(z.string()).readonly(),
  /** of a call whose end nobody saw: who found out what it did, if anybody has */
  found: z.strictObject({ finding: z.string(), by: z.string() }).nullable(),
});
export type CallDocument = Readonly<z.infer<typeof callDocumentSchema>>;
const attemptDocumentSchema = z.strictObject({
  number: z.int(),
  raw: z.string().nullable(),
  outcome: z.string().nullable(),
  errorClass: z.string().nullable(),
  /** the provider's own word for an error */
  errorCode: z.string().nullable(),
  /** the provider's own reason, where a gateway gives it on beside `raw` */
  nativeReason: z.string().nullable(),
  flags: z.array(z.string()).readonly(),
});
const turnDocumentSchema = z.strictObject({
  number: z.int(),
  attempts: z.array(attemptDocumentSchema).readonly(),
  calls: z.array(callDocumentSchema).readonly(),
});
type TurnDocument = Readonly<z.infer<typeof turnDocumentSchema>>;
const runUseSchema = z.strictObject({
  turns: z.int(),
  calls: z.int(),
  mutatingCalls: z.int(),
  outputTokens: z.int(),
  /** attempts whose route reported no usage: they count with the most that they were allowed */
  unreportedAttempts: z.int(),
});

export const runDocumentSchema = z.strictObject({
  id: z.string(),
  state: z.string(),
  /** how the latest response ended */
  outcome: z.string().nullable(),
  /** the error class of the ending, with its detail */
  reason: z.string().nullable(),
  /** the executors that its calls go to; null until its first call */
  pool: z.string().nullable(),
  turns: z.array(turnDocumentSchema).readonly(),
  /** what the run has used of its budgets */
  used: runUseSchema,
  artifact: z.strictObject({ kind: z.string(), content: z.string() }).nullable(),
  /** of a run that ended short of its artifact: what it had done by then */
  partial: z
    .strictObject({
      executed: z.array(z.string()).readonly(),
      /** null where the model gave none, and where it is not kept any more */
      text: z.string().nullable(),
      textGone: z.boolean(),
    })
    .nullable(),
});
export type RunDocument = Readonly<z.infer<typeof runDocumentSchema>>;

interface Deps {
  readonly redis: Redis;
  readonly keyring: Keyring;
}

export async function readRunDocument(deps: Deps, id: string): Promise<RunDocument> {
  await assertSubmitted(deps.redis, id);
  const run = await readRun(deps.redis, id);
  if (run === null) {
    const nothing = { turns: 0, calls: 0, mutatingCalls: 0, outputTokens: 0, unreportedAttempts: 0 };
    return {
      id,
      state: "queued",
      outcome: null,
      reason: null,
      pool: null,
      turns: [],
      used: nothing,
      artifact: null,
      partial: null,
    };
  }
  const numbers = Array.from({ length: run.turn }, (_, at) => at + 1);
  const turns = await Promise.all(numbers.map((turn) => readTurnDocument(deps, id, turn)));
  const outcomes = turns.flatMap((turn) => turn.attempts.map((attempt) => attempt.outcome));
  return {
    id,
    state: run.state,
    outcome: outcomes.findLast((outcome) => outcome !== null) ?? null,
    reason: reasonOf(run),
    pool: run.pool ?? null,
    turns,
    used: {
      turns: run.turn,
      calls: run.calls,
      mutatingCalls: run.mutatingCalls,
      outputTokens: run.outputTokens,
      unreportedAttempts: run.unreportedAttempts,
    },
    artifact: artifactOf(deps, id, run),
    partial: await partialOf(deps, { id, run, turns }),
  };
}

/** Throws RUN_NOT_FOUND where no spec lies under the id. */
export async function assertSubmitted(redis: Redis, id: string): Promise<void> {
  const known = isRunId(id) && (await redis.exists(runKeys(id).spec, runKeys(id).run)) > 0;
  if (!known) throw new AirlockError("RUN_NOT_FOUND", `${id}; \`airlock runs\` lists those that there are`);
}

export function reasonOf(run: Pick<RunHash, "errorClass" | "detail">): string | null {
  const { errorClass, detail } = run;
  if (errorClass === undefined) return detail ?? null;
  return detail === undefined ? errorClass : `${errorClass}: ${detail}`;
}

function artifactOf({ keyring }: Deps, id: string, run: RunHash): RunDocument["artifact"] {
  if (run.artifact === undefined || run.artifactKind === undefined) return null;
  const place = `${runKeys(id).run}#artifact`;
  return { kind: run.artifactKind, content: openSealed(keyring, { seal: "run", place }, run.artifact) };
}

async function partialOf(
  { redis, keyring }: Deps,
  { id, run, turns }: { readonly id: string; readonly run: RunHash; readonly turns: readonly TurnDocument[] },
): Promise<RunDocument["partial"]> {
  if (run.rawUntil === undefined) return null;
  const place = runKeys(id).partial;
  const sealed = await redis.get(place);
  const text = sealed === null ? "" : openSealed(keyring, { seal: "run", place }, sealed);
  const calls = turns.flatMap((turn) => turn.calls);
  return {
    executed: calls.filter(({ state }) => state === "EXECUTED").map(({ itemKey: key }) => key),
    text: text === "" ? null : text,
    textGone: sealed === null,
  };
}

async function readTurnDocument(deps: Deps, run: string, turn: number): Promise<TurnDocument> {
  const last = (await readTurn(deps.redis, run, turn))?.attempt ?? 0;
  const numbers = Array.from({ length: last }, (_, at) => at + 1);
  const hashes = await Promise.all(numbers.map((attempt) => readAttempt(deps.redis, { run, turn, attempt })));
  const bodies = hashes.map((hash) => responseBody(deps.keyring, hash));
  const keys = bodies.flatMap((body) => (body === null ? [] : callKeys(body)));
  const calls = await Promise.all(keys.map((key) => readCallDocument(deps, key)));
  return {
    number: turn,
    attempts: hashes.map((hash, at) => ({
      number: at + 1,
      raw: hash?.raw ?? null,
      outcome: hash?.outcome ?? null,
      errorClass: hash?.errorClass ?? null,
      errorCode: bodies[at]?.errorCode ?? null,
      nativeReason: bodies[at]?.nativeReason ?? null,
      flags: bodies[at]?.flags ?? [],
    })),
    calls: calls.filter((call) => call !== null),
  };
}

/** The signed record of how a committed attempt ended. */
function responseBody(keyring: Keyring, hash: AttemptHash | null): ResponseBody | null {
  if (hash?.record === undefined) return null;
  return parseBody(responseBodySchema, verifyRecord(keyring, "response", JSON.parse(hash.record)));
}

/** A reconciler's finding is the outcome; a person's stands beside one that was told as unknown. */
function foundOf(entry: LedgerEntry | null): CallDocument["found"] {
  if (entry?.resolution !== undefined) {
    return { finding: entry.resolution.finding, by: entry.resolution.by };
  }
  if (entry?.lost === undefined || !isFinal(entry.state)) return null;
  return { finding: entry.state === "EXECUTED" ? "executed" : "not_executed", by: "reconciler" };
}

async function readCallDocument({ redis, keyring }: Deps, key: string): Promise<CallDocument | null> {
  const [call, entry, item] = await Promise.all([
    readCall(redis, key),
    createLedger(redis).read(key),
    readItemRecord(redis, key),
  ]);
  if (call === null) return null;
  const record = item === null ? null : parseBody(itemBodySchema, verifyRecord(keyring, "item", item));
  return {
    itemKey: key,
    callId: call.callId,
    tool: call.tool,
    state: call.settled ?? entry?.state ?? call.state,
    decision: call.decision ?? null,
    rules: call.rules ?? [],
    errorClass: call.errorClass ?? entry?.errorClass ?? null,
    resultBytes: call.resultBytes ?? entry?.resultBytes ?? null,
    flags: record?.flags ?? [],
    found: foundOf(entry),
  };
}
