import { claimsConflict, type ResourceClaims } from "../tool/index.ts";
import type { TurnHash } from "./records.ts";

export interface ClaimedCall {
  readonly itemKey: string;
  readonly claims: ResourceClaims;
}

/**
 * In the order of the turn, each call waits for the earlier ones that its claims conflict with;
 * with `parallel` off, for all earlier ones.
 */
export function callDependencies(
  calls: readonly ClaimedCall[],
  parallel: "on" | "off",
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    calls.map((call, at) => [
      call.itemKey,
      calls
        .slice(0, at)
        .filter((earlier) => parallel === "off" || claimsConflict(earlier.claims, call.claims))
        .map((earlier) => earlier.itemKey),
    ]),
  );
}

/** The calls of a turn that wait for nothing any more, and how many are not settled. */
export function turnProgress(turn: TurnHash): { readonly free: readonly string[]; readonly open: number } {
  const calls = [...turn.calls];
  const settled = (itemKey: string): boolean => turn.calls.get(itemKey)?.stage === "settled";
  return {
    free: calls.flatMap(([itemKey, { stage, needs }]) =>
      stage === "waiting" && needs.every(settled) ? [itemKey] : [],
    ),
    open: calls.filter(([, { stage }]) => stage !== "settled").length,
  };
}
