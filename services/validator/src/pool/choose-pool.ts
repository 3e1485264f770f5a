import { isLiveMember, type Pool } from "@airlock/core/run";

/**
 * Of the pools that a run may be bound to and that have a live executor, the one with the fewest runs; among equals the
 * first by name. Null where there is none. `allowed`: empty for all.
 */
export function choosePool(
  pools: readonly Pool[],
  { allowed, now }: { readonly allowed: readonly string[]; readonly now: number },
): string | null {
  const open = pools.filter(
    ({ name, members }) =>
      (allowed.length === 0 || allowed.includes(name)) && members.some((member) => isLiveMember(member, now)),
  );
  const [first] = open.toSorted((a, b) => a.runs - b.runs || (a.name < b.name ? -1 : 1));
  return first?.name ?? null;
}

/** For how long a pool has been without any sign of life, in milliseconds; `since`: when the run came to count on it. */
export function silentMs(
  { members }: Pool,
  { now, since }: { readonly now: number; readonly since: number },
): number {
  return now - Math.max(since, ...members.map(({ seenAt }) => seenAt));
}
