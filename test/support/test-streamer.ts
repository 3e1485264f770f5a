import type { ResponseReading } from "@airlock/core/terminal";
import { ADAPTERS, type Family } from "@airlock/core/wire";
import { Agent } from "undici";
import { requestUrl } from "../../services/streamer/src/request/build-request.ts";
import { createDeadlines } from "../../services/streamer/src/request/deadlines.ts";
import { streamResponse } from "../../services/streamer/src/request/stream-response.ts";

const LIMITS = {
  maxMessageBytes: 2 ** 24,
  maxStreamBytes: 2 ** 26,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
};
const PATIENT = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 30_000, runMs: null };

export interface TestStreamer {
  /** Asks the gateway for a model's first turn and reads it as the streamer does. */
  read(family: Family, model: string): Promise<ResponseReading>;
  close(): Promise<void>;
}

export function createTestStreamer(url: string): TestStreamer {
  const dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
  return {
    async read(family, model) {
      const adapter = ADAPTERS[family];
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
        { url: requestUrl(url, adapter.path(model)), headers, body },
        { adapter, dispatcher, deadlines, limits: LIMITS, maxOutputTokens: null, closingMarker: "required" },
      );
      if (httpStatus !== 200) throw new Error(`the gateway answered ${httpStatus}`);
      return reading;
    },
    close: () => dispatcher.destroy(),
  };
}
