import type { ToolDocument } from "@airlock/operator/document";
import { table } from "./table.ts";

const DIGEST_DIGITS = 12;

export function toolListText(tools: readonly ToolDocument[]): string {
  if (tools.length === 0) return "no tools";
  return table(
    ["TOOL", "EFFECT", "ORIGIN", "TIME", "OUTPUT", "ARGUMENTS", "DIGEST"],
    tools.map(({ name, effect, origin, limits, digest }) => [
      name,
      effect,
      origin,
      `${limits.timeoutMs / 1_000} s`,
      `${limits.outputBytes} B`,
      `${limits.argumentBytes} B`,
      digest.slice(0, DIGEST_DIGITS),
    ]),
  );
}
