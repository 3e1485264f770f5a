// A run's id in, its events from the console's stream out, until the run has ended or `signal` aborts. A connection that
// breaks is taken up after the last event that came.
import { setTimeout as sleep } from "node:timers/promises";
import { runEventSchema } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import type { TimedEvent } from "@airlock/operator/follow";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { askConsole, type AskOptions } from "./ask-console.ts";

const timedSchema = z.object({ at: z.string(), event: z.unknown() });
const AGAIN_MS = 1_000;

export async function* followStream(
  options: AskOptions,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<TimedEvent, void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      for await (const message of messages(options, { id, last, signal })) {
        last = message.id ?? last;
        const timed = timedEvent(message.data);
        if (timed === null) continue;
        yield timed;
        if (timed.event.type === "run_ended") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // what was asked once and answered may be away for a while; what never answered is told at once
      if (last === undefined || (error instanceof AirlockError && error.retry !== "later")) throw error;
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The events that there are, without waiting for more. */
export async function pastEvents(options: AskOptions, id: string): Promise<readonly TimedEvent[]> {
  const response = await askConsole(options, {
    method: "GET",
    path: `/runs/${encodeURIComponent(id)}/events?follow=false`,
  });
  const events: TimedEvent[] = [];
  for await (const { data } of messagesIn(response)) {
    const timed = timedEvent(data);
    if (timed !== null) events.push(timed);
  }
  return events;
}

interface Message {
  readonly id?: string | undefined;
  readonly data: string;
}

async function* messages(
  options: AskOptions,
  {
    id,
    last,
    signal,
  }: { readonly id: string; readonly last: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Message, void> {
  const response = await askConsole(options, {
    method: "GET",
    path: `/runs/${encodeURIComponent(id)}/events`,
    headers: { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) },
    signal,
  });
  yield* messagesIn(response);
}

async function* messagesIn({ body }: Response): AsyncGenerator<Message, void> {
  if (body === null) return;
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

/** Null for an event of a newer console. */
function timedEvent(data: string): TimedEvent | null {
  const timed = timedSchema.safeParse(JSON.parse(data));
  const event = runEventSchema.safeParse(timed.data?.event);
  return timed.success && event.success ? { at: timed.data.at, event: event.data } : null;
}
