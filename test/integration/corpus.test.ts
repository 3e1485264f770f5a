import type { ResponseReading } from "@airlock/core/terminal";
import { ADAPTERS, FAMILIES } from "@airlock/core/wire";
import { Agent } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDeadlines } from "../../services/streamer/src/request/deadlines.ts";
import { requestUrl } from "../../services/streamer/src/request/build-request.ts";
import { streamResponse } from "../../services/streamer/src/request/stream-response.ts";
import { conclude } from "../../packages/core/test/terminal/conclusions.ts";
import { recordings } from "../../packages/core/test/terminal/corpus.ts";
import { startCorpusGateway, type CorpusGateway, type RecordedResponse } from "../support/corpus-gateway.ts";

const AT_LEAST = { responses: 24, chat: 13, anthropic: 18, gemini: 4 } as const;
const PATIENT = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 30_000 };

let gateway: CorpusGateway;
let dispatcher: Agent;

beforeAll(async () => {
  gateway = await startCorpusGateway();
  dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
});
afterAll(async () => {
  await dispatcher.destroy();
  await gateway.close();
});

/** A recorded response, asked for and read as the streamer does it. */
async function stream(response: RecordedResponse): Promise<ResponseReading> {
  const adapter = ADAPTERS[response.family];
  const model = gateway.model(response);
  const body = adapter.encode({
    model,
    entries: [{ type: "user", text: "Go." }],
    tools: [],
    maxOutputTokens: null,
    stopSequences: [],
    parallelToolCalls: true,
    stream: true,
  });
  const headers = {
    authorization: "Bearer key",
    "content-type": "application/json",
    "accept-encoding": "identity",
    ...adapter.headers,
  };
  const deadlines = createDeadlines(PATIENT, new AbortController().signal);
  const { reading, httpStatus } = await streamResponse(
    { url: requestUrl(gateway.url, adapter.path(model)), headers, body },
    { adapter, dispatcher, deadlines, maxOutputTokens: null },
  );
  expect(httpStatus).toBe(200);
  return reading;
}

// A machine without the recordings sees these titles among the skipped tests.
describe.each(FAMILIES)("every recorded %s stream through the gateway (needs AIRLOCK_SHARED)", (family) => {
  const files = recordings(family).map((recording) => ({ ...recording, family }));

  test.skipIf(files.length === 0)("is there", () => {
    expect(files.length).toBeGreaterThanOrEqual(AT_LEAST[family]);
  });

  test.each(files)("$name reads as expected", async ({ name, streams, expected }) => {
    const responses = streams.map((_, response) => ({ family, name, response }));
    const readings: ResponseReading[] = [];
    for (const response of responses) readings.push(await stream(response));
    const sizes = responses.map((response) => gateway.chunkBytes(response));
    const { raw, outcome, responseId, calls, providerExecuted } = expected;
    const context = `in chunks of ${sizes.join(", ")} bytes`;
    expect(conclude(readings), context).toEqual({ raw, outcome, responseId, calls, providerExecuted });
  });
});
