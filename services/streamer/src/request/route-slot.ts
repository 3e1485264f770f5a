import { SLOT_LEASE_MS, type Route, type RouteLimiter } from "@airlock/core/run";
import type { StreamedResponse } from "./stream-response.ts";

const TOO_MANY_REQUESTS = 429;

/** How providers say the same within a stream, whose status was sent before. */
const SLOW_DOWN: ReadonlySet<string> = new Set(["429", "rate_limit_error", "rate_limit_exceeded"]);

export interface OnSlot<Response> {
  readonly streamed: Response;
  /** resolves once the slot is free again: what is done about the response needn't wait for that */
  readonly given: Promise<unknown>;
}

/**
 * Does a request's work on a slot of its route that all streamers share: kept while the work goes on, given back at its
 * end. A 429, or its like within a stream, makes all of them wait, before anything follows; any other answer ends that.
 */
export async function onSlot<Response extends StreamedResponse>(
  limiter: RouteLimiter,
  place: { readonly route: string; readonly slot: string },
  work: () => Promise<Response>,
): Promise<OnSlot<Response>> {
  const { route, slot } = place;
  const keeping = setInterval(() => void limiter.keep(route, slot).catch(() => undefined), SLOT_LEASE_MS / 3);
  let streamed: Response;
  try {
    streamed = await work();
    if (asksToWait(streamed)) await limiter.backOff(route, streamed.retryAfterMs);
  } catch (error) {
    await limiter.release(route, slot);
    throw error;
  } finally {
    clearInterval(keeping);
  }
  const answered = streamed.httpStatus !== null && !asksToWait(streamed);
  const given = [...(answered ? [limiter.recover(route)] : []), limiter.release(route, slot)];
  return { streamed, given: Promise.all(given) };
}

function asksToWait({ httpStatus, errorCode }: StreamedResponse): boolean {
  return httpStatus === TOO_MANY_REQUESTS || (errorCode !== null && SLOW_DOWN.has(errorCode));
}

/** Milliseconds until a slot may be asked for again; 0 where it was taken. */
export async function takeSlot(
  limiter: RouteLimiter,
  place: { readonly route: string; readonly slot: string },
  route: Route | undefined,
): Promise<number> {
  return route === undefined ? 0 : limiter.take(place.route, place.slot, route.limits);
}
