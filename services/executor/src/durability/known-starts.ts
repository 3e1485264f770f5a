/** How long a start is kept after it was written: longer than any replica lags behind. */
export const KEPT_MS = 86_400_000;

/** The starts that the logs in this executor's hands tell of: its own, and those that it adopted. */
export interface KnownStarts {
  add(start: { readonly itemKey: string; readonly fence: number; readonly at: number }): void;
  /** The highest fence of a call that began; 0 for none. */
  knownFence(itemKey: string): number;
  /** False is proof that nothing ran under the fence; null: the owner's log is not here, or not whole any more. */
  knownStart(itemKey: string, fence: number, owner: string): boolean | null;
  addOwners(owners: Iterable<string>): void;
  /** Forgets what is too old, but for calls that still run; the logs of these owners are not whole any more. */
  prune(owners: readonly string[], running: (itemKey: string) => boolean): void;
}

export function createKnownStarts(owner: string): KnownStarts {
  const starts = new Map<string, { readonly fence: number; readonly at: number }>();
  const owners = new Set([owner]);
  const knownFence = (itemKey: string): number => starts.get(itemKey)?.fence ?? 0;
  return {
    knownFence,
    knownStart: (itemKey, fence, by) => (owners.has(by) ? knownFence(itemKey) >= fence : null),
    add({ itemKey, fence, at }) {
      if (fence > knownFence(itemKey)) starts.set(itemKey, { fence, at });
    },
    addOwners(more) {
      for (const one of more) owners.add(one);
    },
    prune(cut, running) {
      for (const one of cut) owners.delete(one);
      for (const [itemKey, { at }] of starts) {
        if (Date.now() - at > KEPT_MS && !running(itemKey)) starts.delete(itemKey);
      }
    },
  };
}
