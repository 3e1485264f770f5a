import { isDeepStrictEqual } from "node:util";
import type { ReplayItem } from "@airlock/cli";
import { listAt, objectAt, type OracleMessage } from "../messages.ts";
import { plain } from "../values.ts";

/** A part that names the call, at the latest in the chunk that finishes, and `STOP` as the only reason. */
export function geminiGrounds(
  messages: readonly OracleMessage[],
  calls: readonly ReplayItem[],
): string | null {
  const candidates = messages.flatMap((message, at) =>
    listAt(message.data, "candidates").map((candidate) => ({ at, candidate })),
  );
  const finishes = candidates.filter(({ candidate }) => {
    const reason = candidate["finishReason"];
    return typeof reason === "string" && reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED";
  });
  const finishedAt = finishes[0]?.at ?? -1;
  if (finishedAt < 0) return "there is no finish reason";
  if (!finishes.every(({ candidate }) => candidate["finishReason"] === "STOP"))
    return "a finish reason forbids it";
  const parts = candidates
    .filter(({ at }) => at <= finishedAt)
    .flatMap(({ candidate }) => listAt(candidate["content"], "parts"))
    .map((part) => objectAt(part, "functionCall"));
  const lost = calls.find((call) => !parts.some((part) => isPart(part, call)));
  return lost === undefined ? null : `call ${lost.name} has no such part`;
}

function isPart(part: Record<string, unknown>, call: ReplayItem): boolean {
  if (part["name"] !== call.name) return false;
  const streams = part["willContinue"] === true || Array.isArray(part["partialArgs"]);
  return streams || isDeepStrictEqual(part["args"] ?? {}, plain(call.arguments));
}
