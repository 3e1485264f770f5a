import type { JsonObject } from "../json/index.ts";
import type { ToolClaims } from "./manifest.ts";

const MEBIBYTE = 1_048_576;

export const NO_CLAIMS: ToolClaims = { reads: [], writes: [], patches: [], workspace: "none" };
export const FILE_LIMITS = { timeoutMs: 30_000, outputBytes: 262_144, argumentBytes: MEBIBYTE } as const;
export const COMMAND_LIMITS = { timeoutMs: 600_000, outputBytes: 262_144, argumentBytes: 65_536 } as const;
export const GIT_LIMITS = { timeoutMs: 120_000, outputBytes: 262_144, argumentBytes: 65_536 } as const;

const PATH_RULE = "Relative to the workspace root, with forward slashes; no leading slash and no '..'.";

export function closed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", additionalProperties: false, properties, required };
}

export function pathArgument(description: string): JsonObject {
  return { type: "string", minLength: 1, maxLength: 4096, description: `${description} ${PATH_RULE}` };
}

export function wholeNumber(minimum: number, maximum: number, description: string): JsonObject {
  return { type: "integer", minimum, maximum, description };
}
