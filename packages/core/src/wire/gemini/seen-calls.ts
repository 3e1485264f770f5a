/** A whole call as it is compared with others: `argsKey` is equal for equal arguments. */
export interface SeenCall {
  readonly id: string | null;
  readonly name: string;
  readonly argsKey: string;
  readonly chunk: number;
}

/** `resent`: known under its id. `reused`: another call has that id. `ambiguous`: a second call, or the first again. */
export type Repetition = "resent" | "reused" | "ambiguous" | null;

export interface SeenCalls {
  /** Remembers the call and says what it repeats. */
  see(call: SeenCall): Repetition;
}

interface Chunks {
  readonly first: number;
  readonly last: number;
}

/** Constant time per call, however many there are. */
export function createSeenCalls(): SeenCalls {
  const byId = new Map<string, string>();
  const anywhere = new Map<string, Chunks>();
  const withoutId = new Map<string, Chunks>();

  return {
    see({ id, name, argsKey, chunk }) {
      const key = JSON.stringify([name, argsKey]);
      const known = id === null ? undefined : byId.get(id);
      if (known !== undefined) return known === key ? "resent" : "reused";
      // Two ids tell two equal calls apart; one chunk does too, since nobody sends a part twice in it.
      const ambiguous = isElsewhere((id === null ? anywhere : withoutId).get(key), chunk);
      if (id === null) remember(withoutId, key, chunk);
      else byId.set(id, key);
      remember(anywhere, key, chunk);
      return ambiguous ? "ambiguous" : null;
    },
  };
}

function isElsewhere(chunks: Chunks | undefined, chunk: number): boolean {
  return chunks !== undefined && (chunks.first !== chunk || chunks.last !== chunk);
}

function remember(places: Map<string, Chunks>, key: string, chunk: number): void {
  places.set(key, { first: places.get(key)?.first ?? chunk, last: chunk });
}
