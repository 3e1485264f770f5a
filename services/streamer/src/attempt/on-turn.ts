// Takes a signed turn, gives the attempt's response record on the items queue, once;
// a redelivered turn sends no second request: it publishes what was committed, or commits the attempt as lost;
// a turn whose route has no free slot comes back later, before its attempt has begun.
import type { TurnBody } from "@airlock/core/contract";
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { attemptKey, signedRecordSchema, type SignedRecord } from "@airlock/core/record";
import { openStopSequences, readAttempt, readConversation, readRun, type RunHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import { ADAPTERS } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import { buildRequest } from "../request/build-request.ts";
import { createDeadlines } from "../request/deadlines.ts";
import { createRecorder, type Recorder } from "../request/recorder.ts";
import { onSlot, takeSlot } from "../request/route-slot.ts";
import { streamResponse, type StreamedResponse } from "../request/stream-response.ts";
import { commitAttempt, describeAttempt, type FinishedResponse, type KeptOutput } from "./commit-attempt.ts";
import type { EarlyItem } from "./describe-item.ts";
import { createEarlyItems, type EarlyItems } from "./early-items.ts";
import { unreadResponse } from "./unread-response.ts";

const NONE_EARLY: ReadonlyMap<number, EarlyItem> = new Map();
const NOTHING_KEPT: KeptOutput = { records: false, rawMs: 0, keepsText: false };

export async function onTurn(deps: Deps, { body, signal }: Delivery<"turn">): Promise<Handled> {
  const place = { route: body.route, slot: attemptKey(body) };
  const delayMs = await takeSlot(deps.limiter, place, deps.routes.get(body.route));
  if (delayMs > 0) return { kind: "later", delayMs };
  const answer = await deps.store.begin(body, deps.owner);
  if (answer !== "begin") await deps.limiter.release(place.route, place.slot);
  switch (answer) {
    case "begin":
      await runAttempt(deps, body, signal);
      return DONE;
    case "begun":
      await finish(deps, body, { ...unread(unreadResponse("STREAMER_LOST", "reset")), owner: null });
      return DONE;
    case "committed":
      await publishEnd(deps, await committedRecord(deps, body));
      return DONE;
    case "stale":
      return DONE;
  }
}

async function runAttempt(deps: Deps, turn: TurnBody, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  const place = { route: turn.route, slot: attemptKey(turn) };
  const streamed = await onSlot(deps.limiter, place, () =>
    deps.cancels.during(turn.run, signal, (either) => readResponse(deps, turn, either)),
  );
  const durationMs = Math.round(performance.now() - started);
  await finish(deps, turn, { ...streamed, durationMs, owner: deps.owner });
}

/** The run is read only here, under a signal that hears of a cancel: none can fall in between. */
async function readResponse(deps: Deps, turn: TurnBody, signal: AbortSignal): Promise<FinishedResponse> {
  const run = await readRun(deps.redis, turn.run);
  if (run?.cancelled !== undefined) return unread(unreadResponse("CANCELLED", "cancelled"));
  const kept = keptOutput(run);
  const recorder = kept.records || kept.rawMs > 0 ? createRecorder() : null;
  const early = createEarlyItems(deps, turn);
  const response = await stream(deps, turn, { signal, recorder, early, deadlineAt: run?.deadlineAt });
  return {
    ...response,
    durationMs: 0,
    bytes: recorder?.bytes() ?? null,
    kept,
    early: (await early?.settled()) ?? NONE_EARLY,
  };
}

/** The plan isn't signed, but all that it could change is how long something is kept. */
function keptOutput(run: RunHash | null): KeptOutput {
  const plan = run?.plan;
  return {
    records: (plan?.contract ?? null) !== null,
    rawMs: plan?.rawMs ?? 0,
    keepsText: plan?.onTruncated === "continue",
  };
}

async function stream(
  deps: Deps,
  turn: TurnBody,
  {
    signal,
    recorder,
    early,
    deadlineAt,
  }: {
    readonly signal: AbortSignal;
    readonly recorder: Recorder | null;
    readonly early: EarlyItems | null;
    /** the end of the run's own time, by Redis' clock */
    readonly deadlineAt: number | undefined;
  },
): Promise<StreamedResponse> {
  const route = deps.routes.get(turn.route);
  if (route === undefined) return unread(unreadResponse("CONNECT_ERROR", "connect_error"));
  const entries = await readConversation(deps, turn.run);
  const { cometapiBaseUrl, cometapiKey: apiKey } = deps.config;
  const stopSequences = openStopSequences(deps.keyring, turn, turn.stopSequences);
  const access = { route, cometapiBaseUrl, apiKey, stopSequences };
  const built = buildRequest(turn, entries, { ...access, catalog: deps.catalog });
  if (!built.ok) return unread(unreadResponse(built.errorClass, "connect_error"));
  const runMs = deadlineAt === undefined ? null : deadlineAt - (await redisNow(deps.redis));
  if (runMs !== null && runMs <= 0) return unread(unreadResponse("DEADLINE_EXCEEDED", "run_timeout"));
  return streamResponse(built.request, {
    adapter: ADAPTERS[route.family],
    dispatcher: deps.dispatcher,
    deadlines: createDeadlines({ ...route.deadlines, runMs }, signal),
    maxOutputTokens: turn.maxOutputTokens,
    closingMarker: route.closingMarker,
    stopSequences,
    onBytes: recorder?.add,
    onItem: early?.onItem,
  });
}

function unread(reading: StreamedResponse["reading"]): FinishedResponse {
  const nothing = { lastEvents: null, httpStatus: null, errorCode: null, retryAfterMs: null, bytes: null };
  return { reading, ...nothing, kept: NOTHING_KEPT, durationMs: 0, early: NONE_EARLY };
}

async function finish(
  deps: Deps,
  turn: TurnBody,
  streamed: FinishedResponse & { readonly owner: string | null },
): Promise<void> {
  const ended = describeAttempt(deps, turn, streamed);
  const record = await commitAttempt(deps, ended, streamed.owner);
  const { run, turn: number, attempt } = turn;
  const { outcome, errorClass, transport } = ended.response;
  deps.log.write("info", "attempt_committed", {
    run,
    turn: number,
    attempt,
    outcome: outcome.kind,
    errorClass,
    bytes: transport.bytes,
    state: record === null ? "stale" : "committed",
  });
  await publishEnd(deps, record ?? (await committedRecord(deps, turn)));
}

/** The response record of a committed attempt as it was signed; null where nothing was committed. */
async function committedRecord(deps: Deps, turn: TurnBody): Promise<SignedRecord | null> {
  const attempt = await readAttempt(deps.redis, turn);
  return attempt?.record === undefined ? null : signedRecordSchema.parse(JSON.parse(attempt.record));
}

async function publishEnd(deps: Deps, record: SignedRecord | null): Promise<void> {
  if (record !== null) await deps.publisher.publish(record);
}
