import { argumentsDigest, type ItemState } from "@airlock/core/call";
import { canonicalJson, type JsonObject } from "@airlock/core/json";
import {
  attemptKey,
  itemKey as keyOf,
  newRunId,
  sealBody,
  sha256Hex,
  signRecord,
  type Keyring,
  type Role,
} from "@airlock/core/record";
import { sealClaims } from "@airlock/core/run";
import { globalKeys, redisNow, runKeys, type Redis } from "@airlock/core/store";
import type { ItemBody, ResponseBody, RunEvent } from "@airlock/core/contract";

export interface SeededCall {
  readonly tool: string;
  readonly state: ItemState;
  readonly arguments?: JsonObject;
  readonly rule?: string;
  readonly reason?: string;
  readonly errorClass?: string;
  readonly quorum?: number;
  readonly expiresInMs?: number;
}

export interface SeededRun {
  readonly run: string;
  /** of each turn's calls */
  readonly itemKeys: readonly (readonly string[])[];
}

interface Place {
  readonly redis: Redis;
  readonly keyrings: Readonly<Record<Role, Keyring>>;
}

const DIGEST = sha256Hex("seeded");

/**
 * A run as its streamer and validator would have written it, each record signed by the one whose it is: what pages show
 * depends on records alone. No process knows of it, so nothing of it goes on.
 */
export async function seedRun(
  { redis, keyrings }: Place,
  seed: {
    readonly turns: readonly (readonly SeededCall[])[];
    readonly fields?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly requestedBy?: string;
  },
): Promise<SeededRun> {
  const run = newRunId();
  const now = await redisNow(redis);
  const keys = runKeys(run);
  const pipeline = redis.pipeline();
  const calls = seed.turns.flat();
  const base = {
    state: calls.some(({ state }) => state === "AWAITING_APPROVAL") ? "awaiting_approval" : "running",
    route: "gateway",
    model: "replay/demo",
    policy: "ci-default",
    requestedBy: seed.requestedBy ?? "ci-nightly",
    labels: JSON.stringify(seed.labels ?? { team: "payments" }),
    createdAt: String(now - 90_000),
    turn: String(seed.turns.length),
    calls: String(calls.length),
  };
  pipeline.set(keys.spec, "sealed");
  pipeline.hset(keys.run, { ...base, ...seed.fields });
  pipeline.zadd(globalKeys.runs, now, run);
  const tell = (event: RunEvent): void => void pipeline.xadd(keys.events, "*", "e", JSON.stringify(event));
  tell({ type: "run_admitted", route: "gateway", model: "replay/demo" });
  const itemKeys = seed.turns.map((turnCalls, at) => {
    const place = { run, turn: at + 1, attempt: 1 };
    pipeline.hset(keys.turn(place.turn), { state: "calls", attempt: "1", maxOutputTokens: "" });
    const response = JSON.stringify(responseOf(place, turnCalls.length));
    pipeline.hset(keys.attempt(place), {
      state: "committed",
      owner: "streamer",
      raw: "completed",
      outcome: "action_required",
      record: JSON.stringify(signRecord(keyrings.streamer, "response", response)),
    });
    tell({ type: "attempt_opened", turn: place.turn, attempt: 1, reason: null });
    return turnCalls.map((call, ordinal) => {
      const itemKey = keyOf({ ...place, ordinal });
      const text = canonicalJson(call.arguments ?? {});
      const item: ItemBody = {
        version: 1,
        ...place,
        ordinal,
        kind: "tool_call",
        callId: `call_${ordinal}`,
        name: call.tool,
        argumentsKind: "json",
        bytes: text.length,
        state: "ITEM_TERMINAL",
        errorClass: null,
        contentDigest: null,
      };
      const record = JSON.stringify(signRecord(keyrings.streamer, "item", JSON.stringify(item)));
      pipeline.hset(keys.item(itemKey), { record });
      const sealed = sealBody(keyrings.streamer, { seal: "calls", place: keys.item(itemKey) }, text);
      pipeline.set(keys.content(itemKey), sealed);
      pipeline.hset(keys.turn(place.turn), { [`call:${itemKey}`]: "waiting" });
      pipeline.hset(keys.call(itemKey), callFields({ call, itemKey, now, keyrings }));
      if (call.state === "AWAITING_APPROVAL") {
        pipeline.zadd(globalKeys.approvals, now + (call.expiresInMs ?? 600_000), itemKey);
      }
      for (const state of ["PARSED", "SCHEMA_VALID", call.state] as const) {
        tell({
          type: "item_state",
          itemKey,
          state,
          tool: call.tool,
          rule: null,
          errorClass: null,
          bytes: null,
        });
      }
      return itemKey;
    });
  });
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  return { run, itemKeys };
}

function responseOf(place: Pick<ResponseBody, "run" | "turn" | "attempt">, calls: number): ResponseBody {
  return {
    version: 1,
    ...place,
    adapter: "responses-1",
    responseId: attemptKey(place),
    raw: "completed",
    outcome: { kind: "action_required", action: "tool" },
    errorClass: null,
    stopSequence: null,
    items: Array.from({ length: calls }, (_, ordinal) => ({ ordinal, kind: "tool_call" as const })),
    inputTokens: 1,
    outputTokens: 1,
    httpStatus: 200,
    errorCode: null,
    transport: { end: "clean", bytes: 1, messages: 1, unknownEvents: 0 },
    durationMs: 1,
    retryAfterMs: null,
  };
}

function callFields(given: {
  readonly call: SeededCall;
  readonly itemKey: string;
  readonly now: number;
  readonly keyrings: Place["keyrings"];
}): Readonly<Record<string, string>> {
  const { call, itemKey, now, keyrings } = given;
  const { tool, state, rule = "ask-before-commands", reason = "Commands change more than the tree." } = call;
  const args = call.arguments ?? {};
  const common = {
    state,
    tool,
    callId: "call",
    argumentsKind: "json",
    bytes: String(canonicalJson(args).length),
    effect: "mutating",
    decision: state === "AWAITING_APPROVAL" ? "approve" : "allow",
    rule,
    rules: JSON.stringify([rule]),
    manifestDigest: DIGEST,
    policyDigest: DIGEST,
    ...(call.errorClass === undefined ? {} : { errorClass: call.errorClass }),
  };
  if (state !== "AWAITING_APPROVAL") return { ...common, resultBytes: "812" };
  const quorum = call.quorum ?? 1;
  const nonce = sha256Hex(itemKey).slice(0, 20);
  const ask = {
    version: 1,
    run: itemKey.split(".")[0] ?? "",
    itemKey,
    argumentsDigest: argumentsDigest({
      tool,
      manifestDigest: DIGEST,
      arguments: args,
      workspace: { source: "", ref: "" },
    }),
    policyDigest: DIGEST,
    nonce,
    expiresAt: now + (call.expiresInMs ?? 600_000),
    request: 1,
    tool,
    effect: "mutating",
    risk: "high",
    quorum,
    requestedBy: "ci-nightly",
    askedAt: now - 30_000,
  };
  return {
    ...common,
    policyDecision: JSON.stringify({
      decision: "approve",
      winning: rule,
      reason,
      policyDigest: DIGEST,
      matched: [{ rule, decision: "approve", reason }],
      approval: { risk: "high", ttlMs: 600_000, quorum, onAsk: "park" },
      shadow: null,
    }),
    claims: sealClaims(keyrings.validator, itemKey, {
      reads: [],
      writes: ["src/app.ts"],
      workspace: "write",
    }),
    request: "1",
    nonce,
    approvalUntil: String(ask.expiresAt),
    parkedAt: String(now),
    askedEpoch: "0",
    askRecord: JSON.stringify(signRecord(keyrings.validator, "ask", JSON.stringify(ask))),
  };
}
