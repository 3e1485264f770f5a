/**
 * The process under test: opens many streams at once and reads each as the streamer does, then says what an open one
 * holds in memory and how late each one's events were read. Its server is another process: `open-streams.ts URL N S`.
 */
import type { Decoder } from "@airlock/core/wire";
import { ADAPTERS, type Adapter } from "@airlock/core/wire";
import { Agent } from "undici";
import { createDeadlines } from "../../services/streamer/src/request/deadlines.ts";
import { streamResponse } from "../../services/streamer/src/request/stream-response.ts";
import { memory } from "./linear.ts";

export interface OpenStreams {
  readonly streams: number;
  readonly complete: number;
  readonly receivedPerStream: number;
  readonly heldPerStream: number;
  readonly beyondReceivedPerStream: number;
  /** The worst lag of each stream, from the best of them to the worst. */
  readonly worstLagMs: {
    readonly min: number;
    readonly median: number;
    readonly p99: number;
    readonly max: number;
  };
  /** The worst lag of each, in the order in which they were opened. */
  readonly lagsMs: readonly number[];
}

const [url = "", count = "", seconds = ""] = process.argv.slice(2);
const streams = Number(count);
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 600_000, runMs: null };

const dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0, connections: null });
const lags = new Float64Array(streams);
let received = 0;

/** The family's own adapter, which also looks at the time at which an event was sent. */
function timed(stream: number): Adapter {
  return {
    ...ADAPTERS.responses,
    createDecoder(): Decoder {
      const decoder = ADAPTERS.responses.createDecoder();
      return {
        decode(message) {
          received += message.data.length;
          const sentAt = Number(/"sentAt":([\d.]+)/.exec(message.data)?.[1]);
          const lag = performance.timeOrigin + performance.now() - sentAt;
          if (lag > (lags[stream] ?? 0)) lags[stream] = lag;
          return decoder.decode(message);
        },
        end: () => decoder.end(),
        get unknownEvents() {
          return decoder.unknownEvents;
        },
      };
    },
  };
}

const LIMITS = {
  maxMessageBytes: 2 ** 24,
  maxStreamBytes: 2 ** 26,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
};

async function open(stream: number): Promise<boolean> {
  const deadlines = createDeadlines(PATIENT, new AbortController().signal);
  const { reading } = await streamResponse(
    { url: new URL(url), headers: { "content-type": "application/json" }, body: "{}" },
    {
      adapter: timed(stream),
      dispatcher,
      deadlines,
      limits: LIMITS,
      maxOutputTokens: null,
      closingMarker: "required",
    },
  );
  return reading.outcome.action === "tool";
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const before = memory();
const reading = Array.from({ length: streams }, (_, stream) => open(stream));
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 500));
// In the middle of all streams: each is open and has received half of its events.
const held = memory() - before;
const receivedSoFar = received;
// The opening rush and the collection just now are no lag of a stream.
await new Promise((resolve) => setTimeout(resolve, 2_000));
lags.fill(0);
const results = await Promise.all(reading);
await dispatcher.close();
const sorted = [...lags].toSorted((left, right) => left - right);
const result: OpenStreams = {
  streams,
  complete: results.filter(Boolean).length,
  receivedPerStream: receivedSoFar / streams,
  heldPerStream: held / streams,
  beyondReceivedPerStream: (held - receivedSoFar) / streams,
  worstLagMs: {
    min: sorted[0] ?? Number.NaN,
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? Number.NaN,
  },
  lagsMs: [...lags],
};
process.stdout.write(`${JSON.stringify(result)}\n`);
