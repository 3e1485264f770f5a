import type { RouteLimiter } from "@airlock/core/run";
import { expect, test } from "vitest";
import { onSlot } from "../../src/request/route-slot.ts";
import type { StreamedResponse } from "../../src/request/stream-response.ts";

/** What the limiter was told of one answer. */
async function told(httpStatus: number | null, errorCode: string | null): Promise<readonly string[]> {
  const calls: string[] = [];
  const limiter: RouteLimiter = {
    take: async () => 0,
    keep: async () => undefined,
    release: async () => void calls.push("release"),
    backOff: async (_route, retryAfterMs) => calls.push(`back off ${retryAfterMs}`),
    recover: async () => void calls.push("recover"),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that the slot depends on
  const answer = { httpStatus, errorCode, retryAfterMs: null } as StreamedResponse;
  await onSlot(limiter, { route: "r", slot: "s" }, async () => answer);
  return calls;
}

test.each([
  [429, null, "back off null"],
  [200, "rate_limit_error", "back off null"],
  [200, "rate_limit_exceeded", "back off null"],
  [200, "429", "back off null"],
  [200, "overloaded_error", "recover"],
  [200, null, "recover"],
  [500, null, "recover"],
])("an answer %s with the code %s makes the route's streamers %s", async (status, code, expected) => {
  expect(await told(status, code)).toEqual([expected, "release"]);
});

test("no answer at all says nothing of the route's limits", async () => {
  expect(await told(null, null)).toEqual(["release"]);
});
