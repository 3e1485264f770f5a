import { RUN_STATES, runStateSchema } from "@airlock/core/run";

/** How waiting for a run can end before the run does. 2 is for a command line that can't be used. */
export const WAIT_ENDS = {
  approval_awaited: { exitCode: 10, meaning: "--wait-timeout was over while a call waited for a person" },
  timed_out: { exitCode: 11, meaning: "--wait-timeout was over; the run goes on" },
  interrupted: { exitCode: 130, meaning: "a signal ended the waiting; the run goes on" },
} as const satisfies Record<string, { readonly exitCode: number; readonly meaning: string }>;

/** All exit codes of `run --wait`, by code. */
export function exitCodes(): readonly {
  readonly exitCode: number;
  readonly name: string;
  readonly meaning: string;
}[] {
  const all = Object.entries({ ...RUN_STATES, ...WAIT_ENDS });
  return all
    .flatMap(([name, { exitCode, meaning }]) => (exitCode === null ? [] : [{ exitCode, name, meaning }]))
    .toSorted((a, b) => a.exitCode - b.exitCode);
}

/** A state without an exit code is no ending: something went wrong. */
export function exitCodeOf(state: string): number {
  const known = runStateSchema.safeParse(state);
  return known.success ? (RUN_STATES[known.data].exitCode ?? 1) : 1;
}
