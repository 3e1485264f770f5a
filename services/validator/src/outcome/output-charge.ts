import type { ResponseBody } from "@airlock/core/contract";
import { DEFAULT_OUTPUT_BUDGET } from "./next-step.ts";

/**
 * What an attempt costs of the run's output tokens. Where the route reports no usage, and something came or may have come,
 * the attempt counts with the most that it was allowed: a budget that a silent route doesn't touch would be none.
 */
export function outputCharge(
  { outputTokens, items, errorClass }: Pick<ResponseBody, "outputTokens" | "items" | "errorClass">,
  maxOutputTokens: number | null,
): { readonly tokens: number; readonly reported: boolean } {
  if (outputTokens !== null) return { tokens: outputTokens, reported: true };
  if (items.length === 0 && errorClass !== "STREAMER_LOST") return { tokens: 0, reported: true };
  return { tokens: maxOutputTokens ?? DEFAULT_OUTPUT_BUDGET, reported: false };
}
