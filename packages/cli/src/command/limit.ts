import { AirlockError } from "@airlock/core/fault";
import type { CommandCall } from "./command.ts";

/** What `--limit` says. Throws USAGE for what is no count. */
export function limitOf(call: CommandCall, fallback: number): number {
  const text = call.text("limit");
  if (text === undefined) return fallback;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new AirlockError("USAGE", `--limit ${text}: it has to be a whole number from 1 on`);
}
