// Takes a signed turn, gives the attempt's response record on the items queue, once;
// a redelivered turn sends no second request: it publishes what was committed, or commits the attempt as lost;
// a turn whose route has no free slot comes back later, before its attempt has begun.
import type { TurnBody } from "@airlock/core/contract";
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { attemptKey, signedRecordSchema, type SignedRecord } from "@airlock/core/record";
import {
  openStopSequences,
  readAttempt,
  readConversation,
  readRun,
  type BeginAttemptAnswer,
  type RunHash,
} from "@airlock/core/run";
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
  const started = performance.now();
  const { streamed, given } = await onSlot(deps.limiter, place, () =>
    deps.cancels.during(body.run, signal, (either) => beginAndRead(deps, body, either)),
  );
  const durationMs = Math.round(performance.now() - started);
  await Promise.all([given, follow(deps, body, { ...streamed, durationMs })]);
  return DONE;
}

type Begun = FinishedResponse & { readonly answer: BeginAttemptAnswer };

async function follow(deps: Deps, turn: TurnBody, streamed: Begun): Promise<void> {
  switch (streamed.answer) {
    case "begin":
      return finish(deps, turn, { ...streamed, owner: deps.owner });
    case "begun":
      noteRepeated(deps);
      return finish(deps, turn, { ...unread(unreadResponse("STREAMER_LOST", "reset")), owner: null });
    case "committed":
      noteRepeated(deps);
      return publishEnd(deps, await committedRecord(deps, turn));
    case "stale":
      noteRepeated(deps);
      return;
  }
}

/** The attempt had begun before: no second request is sent. */
function noteRepeated({ metrics }: Deps): void {
  metrics.count("airlock_duplicate_deliveries_total", { queue: "turns" });
}

/** What the request is made of is read beside the beginning of its attempt, and counts only where that one began. */
async function beginAndRead(deps: Deps, turn: TurnBody, signal: AbortSignal): Promise<Begun> {
  const beginning = deps.store.begin(turn, deps.owner);
  const reading = Promise.all([readRun(deps.redis, turn.run), readConversation(deps, turn.run)]);
  reading.catch(() => undefined); // a conversation that can't be read keeps no attempt from ending that began before
  const answer = await beginning;
  if (answer !== "begin") return { ...unread(unreadResponse("STREAMER_LOST", "reset")), answer };
  const [run, entries] = await reading;
  return { ...(await readResponse(deps, turn, { run, entries, signal })), answer };
}

/** The run was read under a signal that hears of a cancel: none can fall in between. */
async function readResponse(
  deps: Deps,
  turn: TurnBody,
  { run, entries, signal }: Pick<Streaming, "entries" | "signal"> & { readonly run: RunHash | null },
): Promise<FinishedResponse> {
  if (run?.cancelled !== undefined) return unread(unreadResponse("CANCELLED", "cancelled"));
  const kept = keptOutput(run);
  const recorder = kept.records || kept.rawMs > 0 ? createRecorder() : null;
  const early = createEarlyItems(deps, turn);
  const response = await stream(deps, turn, {
    entries,
    signal,
    recorder,
    early,
    deadlineAt: run?.deadlineAt,
  });
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

interface Streaming {
  readonly entries: Awaited<ReturnType<typeof readConversation>>;
  readonly signal: AbortSignal;
  readonly recorder: Recorder | null;
  readonly early: EarlyItems | null;
  /** the end of the run's own time, by Redis' clock */
  readonly deadlineAt: number | undefined;
}

async function stream(
  deps: Deps,
  turn: TurnBody,
  { entries, signal, recorder, early, deadlineAt }: Streaming,
): Promise<StreamedResponse> {
  const route = deps.routes.get(turn.route);
  if (route === undefined) return unread(unreadResponse("CONNECT_ERROR", "connect_error"));
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
    limits: deps.config,
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
  const { run, turn: number, attempt, route } = turn;
  const { outcome, errorClass, transport } = ended.response;
  deps.metrics.count("airlock_stream_bytes_total", { route }, transport.bytes);
  if (typeof streamed.lastBytesAt === "number") {
    const seconds = (performance.now() - streamed.lastBytesAt) / 1_000;
    deps.metrics.observe("airlock_stream_lag_seconds", { route }, seconds);
  }
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
