// A method, a path and a body in, the console's answer out. Waits as long as a busy console says, follows no redirect (the
// token is for this console alone), and makes an error that names the fix of everything else.
import { setTimeout as sleep } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import type { ConsolePlace } from "./console-place.ts";
import { refusalOf, unreachable } from "./refusal.ts";

export interface Question {
  readonly method: "GET" | "POST";
  /** below /api/v1, its variable parts encoded */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface AskOptions {
  readonly place: ConsolePlace;
  /** told of each wait that the console asks for */
  readonly onWait: (seconds: number) => void;
}

/** How often a busy console is asked again, and how long it may ask to wait. */
const PATIENCE = { rounds: 5, longestMs: 60_000, usualMs: 1_000 } as const;
const ANSWER_MS = 60_000;

export async function askConsole(options: AskOptions, question: Question): Promise<Response> {
  const { place, onWait } = options;
  for (let round = 1; ; round += 1) {
    const response = await fetchOnce(place, question);
    if (response.ok) return response;
    const waitMs = waitOf(response);
    if (response.status !== 429 || round >= PATIENCE.rounds || waitMs > PATIENCE.longestMs) {
      if (response.status >= 300 && response.status < 400) throw moved(place, response);
      throw refusalOf(place.url, response.status, await response.text());
    }
    await response.body?.cancel();
    onWait(waitMs / 1_000);
    await sleep(waitMs, undefined, question.signal === undefined ? {} : { signal: question.signal });
  }
}

async function fetchOnce({ url, token }: ConsolePlace, question: Question): Promise<Response> {
  const { method, path, body, headers = {}, signal = AbortSignal.timeout(ANSWER_MS) } = question;
  try {
    return await fetch(`${url}/api/v1${path}`, {
      method,
      redirect: "manual",
      headers: {
        accept: "application/json",
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
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
