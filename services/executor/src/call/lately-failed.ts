/** What went wrong a moment ago goes wrong again: the calls of a run don't each wait for it anew. */
export interface LatelyFailed {
  note(name: string, error: unknown): void;
  /** Throws the error that was noted for the name, while it is fresh. */
  check(name: string): void;
}

export function createLatelyFailed(freshMs: number): LatelyFailed {
  const failed = new Map<string, { readonly error: unknown; readonly until: number }>();
  const forgetOld = (): void => {
    for (const [name, { until }] of failed) if (performance.now() >= until) failed.delete(name);
  };
  return {
    note(name, error) {
      forgetOld();
      failed.set(name, { error, until: performance.now() + freshMs });
    },
    check(name) {
      forgetOld();
      const known = failed.get(name);
      if (known !== undefined) throw known.error;
    },
  };
}
