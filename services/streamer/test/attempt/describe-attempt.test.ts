import { itemBodySchema, responseBodySchema, type TurnBody } from "@airlock/core/contract";
import { createKeyrings } from "@airlock/core/record";
import { openProviderText, parseRoutes } from "@airlock/core/run";
import { createResponseReader, type ResponseReading } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { expect, test } from "vitest";
import { describeAttempt } from "../../src/attempt/commit-attempt.ts";
import type { Deps } from "../../src/deps.ts";

const keyrings = createKeyrings();
const routes = parseRoutes(
  "routes: { r: { family: chat, baseUrl: 'http://127.0.0.1:1', models: ['**'] } }",
  "routes.yaml",
);
const TURN: TurnBody = {
  version: 1,
  run: "r00000000000000000000",
  turn: 1,
  attempt: 1,
  route: "r",
  model: "m",
  tools: [],
  maxOutputTokens: null,
  stopSequences: null,
  parallelToolCalls: true,
};

function readChat(...chunks: readonly object[]): ResponseReading {
  const reader = createResponseReader(ADAPTERS.chat, {
    maxMessageBytes: 1_000_000,
    maxStreamBytes: 1_000_000,
    maxArgumentBytes: 1_000_000,
    maxItems: 128,
    requestedMaxOutputTokens: null,
  });
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  reader.push(new TextEncoder().encode(`${text}data: [DONE]\n\n`));
  return reader.end("clean");
}

function describe(reading: ResponseReading) {
  const streamed = { reading, lastEvents: null, httpStatus: 200, errorCode: null, retryAfterMs: null };
  const kept = { records: false, rawMs: 0, keepsText: false };
  const rest = { durationMs: 1, bytes: null, kept, early: new Map<number, never>() };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a description depends on
  const deps = { keyring: keyrings.streamer, routes } as unknown as Deps;
  return describeAttempt(deps, TURN, { ...streamed, ...rest });
}

test("whatever a provider calls a response or counts, the record can be signed", () => {
  const choices = [{ delta: { content: "hi" }, finish_reason: "stop" }];
  const usage = { prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: 2_000_000_000 };
  const { response } = describe(readChat({ id: "x".repeat(5_000), choices, usage }));
  expect(responseBodySchema.parse(response)).toMatchObject({
    responseId: "x".repeat(1_024),
    inputTokens: null,
    outputTokens: null,
    outcome: { kind: "candidate_complete", action: null },
  });
});

test("flags stand in the records of the response and of the item that they speak of", () => {
  const calls = [{ index: 0, function: { name: "f", arguments: "{}" } }];
  const choice = { delta: { content: "[TOOL_CALLS]", tool_calls: calls }, finish_reason: "tool_calls" };
  const { response, items } = describe(readChat({ id: "c", choices: [choice] }));
  expect(responseBodySchema.parse(response).flags).toEqual(["id_synthesised", "tool_markup_in_text"]);
  const flags = items.map(({ body }) => [body.kind, itemBodySchema.parse(body).flags]);
  expect(flags).toEqual([
    ["message", ["tool_markup_in_text"]],
    ["tool_call", ["id_synthesised"]],
  ]);
});

test("a provider's words are sealed beside the record, and stand nowhere in it", () => {
  const ended = describe(readChat({ error: { code: "overloaded", message: "the prompt said: secret" } }));
  const providerText = ended.providerText ?? "";
  expect(openProviderText(keyrings.client, TURN, { providerText })).toBe("the prompt said: secret");
  expect(JSON.stringify(ended)).not.toContain("secret");
});
