// A client and a run in, its events out, each once and in order, over as many connections as it takes; ends with the run.
import { setTimeout as sleep } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ClientOptions } from "./client.ts";
import type { paths } from "./generated/api.ts";

export type StreamedEvent =
  paths["/runs/{run}/events"]["get"]["responses"][200]["content"]["text/event-stream"];

/** Why a stream can't be followed: the problem document's own words, or the status alone. */
export class FollowRefused extends Error {
  readonly status: number;
  readonly problem: unknown;
  constructor(status: number, problem: unknown) {
    super(`the stream of events was answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/** Of one message. */
const MOST_CHARACTERS = 1_048_576;
const WAIT_MS = { first: 250, most: 10_000 } as const;

export interface FollowOptions {
  readonly run: string;
  /** false: only what there is by now */
  readonly follow?: boolean;
  readonly signal: AbortSignal;
  /** told when the connection is lost, and when there is one again */
  readonly onState?: (state: "up" | "down") => void;
}

/**
 * Reconnects behind the last event that it has given, waiting longer each time; the end of a stream that has told of the
 * run's end is the end. Throws FollowRefused where the console refuses the request itself.
 */
export async function* followRun(
  { url, token, fetch = globalThis.fetch }: ClientOptions,
  { run, signal, follow = true, onState = () => undefined }: FollowOptions,
): AsyncGenerator<StreamedEvent, void> {
  let last: string | null = null;
  let waitMs: number = WAIT_MS.first;
  let down = false;
  let over = false;
  while (!signal.aborted) {
    try {
      const response = await fetch(requestFor({ url, token }, { run, signal, last, follow }));
      if (!response.ok) await refuse(response);
      if (down) onState("up");
      down = false;
      for await (const event of eventsOf(response, signal)) {
        waitMs = WAIT_MS.first;
        last = event.id;
        over = event.event.type === "run_ended";
        yield event;
      }
      if (over || !follow) return;
    } catch (error) {
      if (signal.aborted) return;
      // what was answered once may be away for a while; what never answered is told at once
      if (error instanceof FollowRefused || last === null) throw error;
      if (!down) onState("down");
      down = true;
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    waitMs = Math.min(waitMs * 2, WAIT_MS.most);
  }
}

function requestFor(
  { url, token }: Pick<ClientOptions, "url" | "token">,
  {
    run,
    signal,
    last,
    follow,
  }: Pick<FollowOptions, "run" | "signal"> & { readonly last: string | null; readonly follow: boolean },
): Request {
  return new Request(
    `${url.replace(/\/+$/, "")}/api/v1/runs/${encodeURIComponent(run)}/events?follow=${follow}`,
    {
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${token}`,
        ...(last === null ? {} : { "last-event-id": last }),
      },
      redirect: "error",
      signal,
    },
  );
}

async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<StreamedEvent, void> {
  if (response.body === null) return;
  const messages = response.body
    // the request holds its signal weakly, and may be gone while its answer is read
    .pipeThrough(new TextDecoderStream(), { signal })
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MOST_CHARACTERS, onError: "terminate" }));
  for await (const { id, data } of messages) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the console's own schema wrote it
    const event = JSON.parse(data) as StreamedEvent;
    yield id === undefined ? event : { ...event, id };
  }
}

async function refuse(response: Response): Promise<never> {
  const text = await response.text();
  let problem: unknown = null;
  try {
    problem = JSON.parse(text);
  } catch {
    // no document: the status says what there is to say
  }
  // what passes by itself is waited for like a lost connection
  if (response.status === 429 || response.status >= 500) throw new Error(`answered ${response.status}`);
  throw new FollowRefused(response.status, problem);
}
