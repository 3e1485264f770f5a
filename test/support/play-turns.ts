import { Queue } from "bullmq";
import {
  commandBodySchema,
  executionBodySchema,
  type ExecutionBody,
  type ResponseBody,
  type ResultBody,
} from "@airlock/core/contract";
import { TRANSITIONS } from "@airlock/core/call";
import { isErrorClass, type ErrorClass } from "@airlock/core/fault";
import { loadPolicy } from "@airlock/core/policy";
import { createPublisher, queuePrefix } from "@airlock/core/queue";
import { itemKey, newRunId, openSealed, signRecord, turnKey, type AttemptParts } from "@airlock/core/record";
import {
  createStreamerStore,
  readActions,
  readCall,
  readConversation,
  readRun,
  readTurn,
  type ActionAnswer,
} from "@airlock/core/run";
import { globalKeys, runKeys, type Redis } from "@airlock/core/store";
import { ADAPTERS } from "@airlock/core/wire";
import { denial, endingOf } from "../../services/executor/src/call/ending.ts";
import { describeItem } from "../../services/streamer/src/attempt/describe-item.ts";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { onResult } from "../../services/validator/src/settlement/on-result.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { vouchFor } from "./route-trust.ts";
import type { TestValidator } from "./test-validator.ts";
import type { CaseItem, CaseResponse, CaseResult, TurnCase, TurnStep } from "./turn-case.ts";

export type Opening = Pick<TurnCase, "family" | "verified" | "policy" | "spec">;

/** A run that goes on step by step, and all that came of it so far. */
export interface Played {
  readonly run: string;
  step(step: TurnStep): Promise<void>;
  /** Has the ended run go on, with limits raised where named; gives what the validator answers. */
  requeue(raise?: Readonly<Record<string, number>>): Promise<ActionAnswer | undefined>;
  cameOf(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** Plays a case against a real Redis, with the validator in this process, and tells all that came of it. */
export async function playTurns(
  validator: TestValidator,
  redis: Redis,
  given: TurnCase,
): Promise<Readonly<Record<string, unknown>>> {
  const played = await openTurns(validator, redis, given);
  for (const step of given.steps) await played.step(step);
  const came = await played.cameOf();
  await played.close();
  return came;
}

export async function openTurns(validator: TestValidator, redis: Redis, given: Opening): Promise<Played> {
  if (given.verified) {
    const { keyrings } = validator;
    await vouchFor({ redis, keyrings }, { route: "gateway", family: given.family, covers: "m" });
  }
  if (given.policy !== undefined) usePolicy(validator, given.policy);
  const run = await validator.submit({
    policy: given.policy === undefined ? "ci-default" : "case",
    tools: ["read_file", "write_file", "apply_patch", "run_command"],
    workspace: { source: "/srv/app", ref: "main" },
    ...given.spec,
  });
  const executions = new Queue("executions.default", {
    connection: redis,
    prefix: queuePrefix("executions.default"),
  });
  const player: Player = { validator, redis, given, run, executions, granted: [] };
  return {
    run,
    async step(step) {
      await playStep(player, step);
      await collectGrants(player);
    },
    requeue: (raise = {}) => requeue(player, raise),
    cameOf: () => whatCame(player),
    async close() {
      await executions.obliterate({ force: true });
      await executions.close();
    },
  };
}

function usePolicy({ policies }: TestValidator, text: string): void {
  policies.set("case", { enforced: loadPolicy({ name: "case", text }), shadow: null });
}

interface Player {
  readonly validator: TestValidator;
  readonly redis: Redis;
  readonly given: Opening;
  readonly run: string;
  readonly executions: Queue;
  /** every grant so far, in the order in which they were published */
  readonly granted: ExecutionBody[];
}

async function playStep(player: Player, step: TurnStep): Promise<void> {
  if ("response" in step) return respond(player, step.response);
  if ("results" in step) return answer(player, step.results);
  const { redis, run, validator } = player;
  if ("resolved" in step) {
    const found = player.granted.filter(({ tool }) => step.resolved.includes(tool));
    for (const { itemKey: key } of found) await redis.srem(runKeys(run).unknown, key);
    return;
  }
  if ("policy" in step) return usePolicy(validator, step.policy);
  const open = (await readRun(redis, run))?.turn ?? 1;
  if (step.now === "after the deadline") await redis.hset(runKeys(run).run, "deadlineAt", 1);
  else
    for (const key of await callKeys(player, open))
      await redis.hset(runKeys(run).call(key), "approvalUntil", 1);
  await redis.zadd(globalKeys.open, 1, turnKey({ run, turn: open }));
  await sweep(validator.deps);
}

async function respond(player: Player, response: CaseResponse): Promise<void> {
  const { validator, redis, run, given } = player;
  const attempt = await openAttempt(player);
  const { streamer } = validator.keyrings;
  const items = response.items.map((item, ordinal) => {
    const place = { version: 1, run, turn: attempt.turn, attempt: attempt.attempt } as const;
    return describeItem({ keyring: streamer }, place, {
      item: terminalItem(item, ordinal),
      keeping: { rawMs: 86_400_000, keepsText: true },
    });
  });
  const body: ResponseBody = {
    version: 1,
    ...attempt,
    adapter: ADAPTERS[given.family].version,
    responseId: null,
    raw: null,
    outcome: outcomeOf(response.outcome),
    errorClass: response.errorClass,
    stopSequence: response.stopSequence,
    items: items.map(({ body: { ordinal, kind } }) => ({ ordinal, kind })),
    inputTokens: null,
    outputTokens: response.outputTokens,
    httpStatus: response.httpStatus,
    errorCode: null,
    transport: { end: "clean", bytes: 0, messages: 0, unknownEvents: 0 },
    durationMs: 0,
    retryAfterMs: null,
  };
  const store = createStreamerStore(redis);
  await store.begin(attempt, "streamer");
  await store.commit(attempt, {
    owner: "streamer",
    fields: {
      record: JSON.stringify(signRecord(streamer, "response", JSON.stringify(body))),
      outcome: body.outcome.kind,
    },
    pieces: [],
    items: items.map(({ body: item, content }) => ({
      itemKey: itemKey(item),
      record: JSON.stringify(signRecord(streamer, "item", JSON.stringify(item))),
      content,
    })),
    events: [],
  });
  // queues deliver at least once
  await validator.respond(body);
  await validator.respond(body);
}

async function requeue(
  { validator, redis, run }: Player,
  raise: Readonly<Record<string, number>>,
): Promise<ActionAnswer | undefined> {
  const body = commandBodySchema.parse({
    version: 1,
    run,
    requestedBy: "ana",
    kind: "requeue",
    id: newRunId().slice(1),
    target: run,
    round: (await readRun(redis, run))?.requeues ?? 0,
    reason: "it was looked at",
    raise,
  });
  const record = signRecord(validator.keyrings.client, "command", JSON.stringify(body));
  await onCommand(validator.deps, { body, record, signal: new AbortController().signal });
  return (await readActions(redis, run)).at(-1)?.answer;
}

function terminalItem(item: CaseItem, ordinal: number): Parameters<typeof describeItem>[2]["item"] {
  if ("hosted" in item) return requestItem(item, ordinal);
  const call = "tool" in item ? item : null;
  const content = "tool" in item ? argumentText(item.arguments) : item.message;
  const quarantined = call?.quarantined ?? null;
  return {
    ordinal,
    kind: call === null ? "message" : "tool_call",
    callId: call === null ? null : `call-${ordinal}`,
    name: call?.tool ?? null,
    argumentsKind: call === null ? null : "json",
    content,
    bytes: Buffer.byteLength(content),
    state: quarantined === null ? "ITEM_TERMINAL" : "QUARANTINED",
    errorClass: quarantined,
  };
}

function requestItem(
  { hosted: name, server, arguments: content }: Extract<CaseItem, { hosted: string }>,
  ordinal: number,
): ReturnType<typeof terminalItem> {
  return {
    ordinal,
    kind: "approval_request",
    callId: `request-${ordinal}`,
    name,
    server,
    argumentsKind: "json",
    content,
    bytes: Buffer.byteLength(content),
    state: "ITEM_TERMINAL",
    errorClass: null,
  };
}

/** A text stands for itself, so that a case can hold what is no JSON. */
function argumentText(args: Extract<CaseItem, { tool: string }>["arguments"]): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

function outcomeOf(outcome: CaseResponse["outcome"]): ResponseBody["outcome"] {
  if (outcome === "tool" || outcome === "continue" || outcome === "approve")
    return { kind: "action_required", action: outcome };
  return { kind: outcome, action: null };
}

async function openAttempt({ redis, run }: Player): Promise<AttemptParts> {
  const turn = (await readRun(redis, run))?.turn ?? 1;
  return { run, turn, attempt: (await readTurn(redis, run, turn))?.attempt ?? 1 };
}

async function collectGrants({ executions, granted }: Player): Promise<void> {
  const jobs = await executions.getJobs(["waiting", "prioritized", "delayed"]);
  const bodies = jobs.flatMap((job) => {
    const { record } = job.data as { record: { purpose: string; body: string } };
    return record.purpose === "execution" ? [executionBodySchema.parse(JSON.parse(record.body))] : [];
  });
  granted.push(...bodies.toSorted((a, b) => (a.itemKey < b.itemKey ? -1 : 1)));
  await Promise.all(jobs.map((job) => job.remove()));
}

async function answer(player: Player, results: Readonly<Record<string, CaseResult>>): Promise<void> {
  const { validator, redis, run, granted } = player;
  const executor = createPublisher({ redis, keyring: validator.keyrings.executor });
  for (const { itemKey: key, tool, grant } of granted) {
    const result = results[tool];
    if (result === undefined || (await readCall(redis, key))?.settled !== undefined) continue;
    const place = { version: 1, run, itemKey: key, grant, fence: 1 } as const;
    const body =
      "regrant" in result
        ? ({ ...place, kind: "regrant", errorClass: known(result.regrant) } as const)
        : { ...place, ...(await settled(player, key, result)) };
    const record = executor.sign({ purpose: "result", body });
    const delivery = { body, record, signal: new AbortController().signal };
    await onResult(validator.deps, delivery);
    await onResult(validator.deps, delivery);
  }
  await executor.close();
}

type Ended = Exclude<CaseResult, { readonly regrant: string }>;
type Seen = Exclude<Ended, { readonly status: "not_executed" }>;
type SettledBody = Extract<ResultBody, { kind: "settled" }>;

async function settled(
  { validator, redis, run, granted }: Player,
  key: string,
  result: Ended,
): Promise<Omit<SettledBody, "version" | "run" | "itemKey" | "grant" | "fence">> {
  if ("status" in result && result.status === "not_executed") return NOT_EXECUTED;
  const { content, transition, detail, ...ending } = endingFor(validator, key, result);
  const effect = granted.find(({ itemKey: each }) => each === key)?.effect;
  if (transition === "lose" && effect !== "read") await redis.sadd(runKeys(run).unknown, key);
  if (content !== null) await redis.set(runKeys(run).result(key), content);
  const told = { ...ending, state: TRANSITIONS[transition].to, ...(detail === null ? {} : { detail }) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the executor's own endings
  return { kind: "settled", ...(told as Omit<SettledBody, "kind">) };
}

const NOT_EXECUTED = {
  kind: "settled",
  state: "NOT_EXECUTED",
  status: "refused",
  errorClass: "NOT_EXECUTED",
  contentDigest: null,
  resultBytes: 0,
  durationMs: 0,
} as const;

function endingFor(validator: TestValidator, key: string, result: Seen): ReturnType<typeof denial> {
  if ("denied" in result) return denial(known(result.denied), result.detail ?? null);
  const outcome =
    result.status === "ok"
      ? { ...result, errorClass: null }
      : { ...result, errorClass: known(result.errorClass) };
  return endingOf(validator.keyrings.executor, { itemKey: key, outcome, durationMs: 1 });
}

function known(errorClass: string): ErrorClass {
  if (!isErrorClass(errorClass)) throw new Error(`${errorClass} is no error class`);
  return errorClass;
}

/** All that the validator left behind, without run ids, digests and times. */
async function whatCame(player: Player): Promise<Readonly<Record<string, unknown>>> {
  const { redis, run, granted, validator } = player;
  const hash = await readRun(redis, run);
  if (hash === null) throw new Error("the run has no record");
  const { keyring } = validator.deps;
  const keys = runKeys(run);
  const open = (place: string, sealed: string | null | undefined): string | undefined =>
    sealed ? openSealed(keyring, { seal: "run", place }, sealed) : undefined;
  const numbers = Array.from({ length: hash.turn }, (_, at) => at + 1);
  const { state, errorClass, detail, calls, mutatingCalls, outputTokens, corrections } = hash;
  const used = { calls, mutatingCalls, outputTokens, corrections };
  return present({
    run: present({ state, errorClass, detail, used }),
    turns: await Promise.all(numbers.map((turn) => turnOf(player, turn))),
    granted: granted.map(
      ({ itemKey: key, grant, tool, effect }) => `${short(key)} ${tool} ${effect} ${grant}`,
    ),
    told: await toldTo(player),
    artifact: open(`${keys.run}#artifact`, hash.artifact),
    partial: open(keys.partial, await redis.get(keys.partial)),
  });
}

async function turnOf(player: Player, number: number): Promise<unknown> {
  const turn = await readTurn(player.redis, player.run, number);
  const keys = await callKeys(player, number);
  const calls = await Promise.all(
    keys.map(async (key) => {
      const call = await readCall(player.redis, key);
      const { tool, decision, rules, errorClass, settled, state } = call ?? {};
      return [short(key), present({ tool, state: settled ?? state, decision, rules, errorClass })] as const;
    }),
  );
  return { state: turn?.state, attempt: turn?.attempt, calls: Object.fromEntries(calls) };
}

async function callKeys({ redis, run }: Player, turn: number): Promise<readonly string[]> {
  const keys = await redis.keys(`${runKeys(run).call(`${run}.${turn}.`)}*`);
  return keys.map((key) => key.slice(key.lastIndexOf(":") + 1)).toSorted();
}

/** What the model is told of its calls and its output, in order. */
async function toldTo({ validator, run }: Player): Promise<readonly unknown[]> {
  const entries = await readConversation(validator.deps, run);
  return entries.flatMap((entry): readonly unknown[] => {
    if (entry.type === "correction") return [{ correction: entry.text }];
    if (entry.type === "hosted_answer") {
      const { requestId: request, approve } = entry;
      return [{ answer: short(entry.itemKey), request, approve }];
    }
    if (entry.type !== "call_result") return [];
    return [{ result: short(entry.itemKey), ...(JSON.parse(entry.content) as object) }];
  });
}

function short(key: string): string {
  return key.slice(key.indexOf(".") + 1);
}

/** Without what is not there, so that a case names only what came of it. */
function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
