import { z } from "zod";

export const text = z.string().min(1);
export const list = z.string().transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
export const milliseconds = z.coerce.number().int().min(1).max(86_400_000);
/** Milliseconds of a retention: up to a year, or 0 where nothing is to be kept. */
export const retention = (least: 0 | 1) =>
  z.coerce
    .number()
    .int()
    .min(least)
    .max(365 * 86_400_000);
export const port = z.coerce.number().int().min(0).max(65_535);

export const SERVICES = ["streamer", "validator", "executor", "console"] as const;
export type ServiceName = (typeof SERVICES)[number];
type Reader = ServiceName | "cli" | "gateway";

/** One environment variable. */
export interface Setting {
  readonly env: string;
  readonly schema: z.ZodType;
  /** the text that stands where the variable is not set; null: it has to be set */
  readonly fallback: string | null;
  readonly readers: readonly Reader[];
  readonly doc: string;
}
