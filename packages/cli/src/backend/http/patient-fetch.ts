// A request in, the console's answer out. Waits as long as a busy console says, follows no redirect (the token is for this
// console alone), and makes an error that names the fix of a connection that fails.
import { setTimeout as sleep } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import type { ConsolePlace } from "./console-place.ts";
import { unreachable } from "./refusal.ts";

export interface AskOptions {
  readonly place: ConsolePlace;
  /** told of each wait that the console asks for */
  readonly onWait: (seconds: number) => void;
}

/** How often a busy console is asked again, and how long it may ask to wait. */
const PATIENCE = { rounds: 5, longestMs: 60_000, usualMs: 1_000 } as const;
const ANSWER_MS = 60_000;

export function patientFetch({ place, onWait }: AskOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let round = 1; ; round += 1) {
      const response = await fetchOnce(place, request);
      if (response.status >= 300 && response.status < 400) throw moved(place, response);
      const waitMs = waitOf(response);
      if (response.status !== 429 || round >= PATIENCE.rounds || waitMs > PATIENCE.longestMs) return response;
      await response.body?.cancel();
      onWait(waitMs / 1_000);
      await sleep(waitMs, undefined, { signal: request.signal });
    }
  };
}

async function fetchOnce({ url }: ConsolePlace, request: Request): Promise<Response> {
  // a stream lives as long as its run; everything else has its time
  const streams = request.headers.get("accept") === "text/event-stream";
  const signals = streams ? [request.signal] : [request.signal, AbortSignal.timeout(ANSWER_MS)];
  try {
    return await fetch(request.clone(), { redirect: "manual", signal: AbortSignal.any(signals) });
  } catch (error) {
    throw unreachable(url, error);
  }
}

/** Retry-After is a number of seconds, or a date. */
function waitOf({ headers }: Response): number {
  const said = headers.get("retry-after");
  if (said === null) return PATIENCE.usualMs;
  const seconds = Number(said);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : PATIENCE.usualMs;
}

function moved({ url }: ConsolePlace, { headers }: Response): AirlockError {
  const to = headers.get("location") ?? "";
  const origin = URL.canParse(to, url) ? new URL(to, url).origin : "elsewhere";
  return new AirlockError(
    "CONSOLE_REFUSED",
    `${url} sends to ${origin}; set AIRLOCK_URL to the console itself`,
  );
}
