import { z } from "zod";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const satisfies Record<string, number>;
const LONGEST_MS = 7 * UNITS.d;

/** `90s`, `30m`, `12h` or `7d` in, milliseconds out; at most seven days. */
export const durationSchema = z.string().transform((text, context) => {
  const [, number = "", unit = ""] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const milliseconds = isUnit(unit) ? Number(number) * UNITS[unit] : 0;
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  context.addIssue({
    code: "custom",
    message: "a duration is written 90s, 30m, 12h or 7d, seven days at most",
  });
  return z.NEVER;
});

function isUnit(text: string): text is keyof typeof UNITS {
  return Object.hasOwn(UNITS, text);
}
