import type { AdmittedRun } from "../verdict/judgement.ts";

/**
 * Remembers what was found of a run for as long as one reading of its record is worked on: whatever a handler does about
 * that reading sees the same, and asks for it once. A run that is read again is another reading; what a handler adds to
 * its own account of a run leaves the plan what it was read as.
 */
export function perReading<Found>(): (
  run: AdmittedRun,
  name: string,
  find: () => Promise<Found>,
) => Promise<Found> {
  const readings = new WeakMap<AdmittedRun["plan"], Map<string, Promise<Found>>>();
  return (run, name, find) => {
    const found = readings.get(run.plan) ?? new Map<string, Promise<Found>>();
    readings.set(run.plan, found);
    const known = found.get(name) ?? find();
    found.set(name, known);
    return known;
  };
}
