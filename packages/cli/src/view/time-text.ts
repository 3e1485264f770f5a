const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** A span of time in its largest whole unit. */
export function ageText(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? (["s", 1_000] as const);
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}
