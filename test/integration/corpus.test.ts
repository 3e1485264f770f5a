import type { ResponseReading } from "@airlock/core/terminal";
import { FAMILIES } from "@airlock/core/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conclude } from "../../packages/core/test/terminal/conclusions.ts";
import { recordings } from "../../packages/core/test/terminal/corpus.ts";
import { startCorpusGateway, type CorpusGateway } from "../support/corpus-gateway.ts";
import { createTestStreamer, type TestStreamer } from "../support/test-streamer.ts";

const AT_LEAST = { responses: 24, chat: 13, anthropic: 18, gemini: 4 } as const;
let gateway: CorpusGateway;
let streamer: TestStreamer;

beforeAll(async () => {
  gateway = await startCorpusGateway();
  streamer = createTestStreamer(gateway.url);
});
afterAll(async () => {
  await streamer.close();
  await gateway.close();
});

// A machine without the recordings sees these titles among the skipped tests.
describe.each(FAMILIES)("every recorded %s stream through the gateway (needs AIRLOCK_SHARED)", (family) => {
  const files = recordings(family).map((recording) => ({ ...recording, family }));

  test.skipIf(files.length === 0)("is there", () => {
    expect(files.length).toBeGreaterThanOrEqual(AT_LEAST[family]);
  });

  test.each(files)("$name reads as expected", async ({ name, streams, expected }) => {
    const responses = streams.map((_, response) => ({ family, name, response }));
    const readings: ResponseReading[] = [];
    for (const response of responses) readings.push(await streamer.read(family, gateway.model(response)));
    const sizes = responses.map((response) => gateway.chunkBytes(response));
    const { raw, outcome, responseId, calls, providerExecuted } = expected;
    const context = `in chunks of ${sizes.join(", ")} bytes`;
    expect(conclude(readings), context).toEqual({ raw, outcome, responseId, calls, providerExecuted });
  });
});
