/** In comes a fixture and an open answer, out go its bytes at its pace; a client that leaves ends it at once. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fixture } from "../fixture/index.ts";
import { payloadOf, type Answering } from "./payload.ts";

/** A reset overtakes bytes that the client has received and not yet read. */
const RESET_GRACE_MS = 50;

export async function playFixture(
  fixture: Fixture,
  response: ServerResponse,
  options: Answering & { readonly signal: AbortSignal; readonly beforeEnd: () => Promise<void> },
): Promise<void> {
  const { misbehaviour } = fixture;
  const payload = payloadOf(fixture, options);
  response.writeHead(payload.status, payload.headers);
  response.flushHeaders();
  const pace = {
    chunkBytes: misbehaviour.chunkBytes,
    delayMs: misbehaviour.delayMs ?? 0,
    signal: options.signal,
  };
  await sendPaced(payload.bytes, response, pace);
  const resets = misbehaviour.resetAtByte !== undefined;
  const holdOpenMs = misbehaviour.holdOpenMs ?? (resets ? RESET_GRACE_MS : 0);
  if (holdOpenMs > 0) await sleep(holdOpenMs, null, { signal: options.signal });
  await options.beforeEnd();
  if (resets) response.socket?.resetAndDestroy();
  else response.end();
}

interface Pace {
  readonly chunkBytes: number | undefined;
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

async function sendPaced(bytes: Uint8Array, response: ServerResponse, pace: Pace): Promise<void> {
  const step = pace.chunkBytes ?? Math.max(1, bytes.byteLength);
  for (let offset = 0; offset < bytes.byteLength; offset += step) {
    if (pace.delayMs > 0) await sleep(pace.delayMs, null, { signal: pace.signal });
    pace.signal.throwIfAborted();
    await flush(bytes.subarray(offset, offset + step), response, pace.signal);
  }
}

/** Waits for the socket to have the bytes: a reset right after a mere `write` would take them back. */
function flush(bytes: Uint8Array, response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error("the answer was broken off", { cause: signal.reason }));
    signal.addEventListener("abort", abort, { once: true });
    response.write(bytes, (error) => {
      signal.removeEventListener("abort", abort);
      if (error) reject(error);
      else resolve();
    });
  });
}
