import type { ToolManifest } from "./manifest.ts";

const LIMITS = { timeoutMs: 30_000, outputBytes: 262_144, argumentBytes: 33_554_432 } as const;
const NO_CLAIMS = { reads: [], writes: [], patches: [], workspace: "none" } as const;
const path = { type: "string", minLength: 1, maxLength: 4096 } as const;

/**
 * The patch held against the workspace and not written. What it would write is claimed as written, so that policy's
 * scope decides on it; what it does is to read.
 */
export const CHECK_PATCH: ToolManifest = {
  name: "airlock.check_patch",
  description: "Hold a unified diff against the workspace without writing anything.",
  inputSchema: {
    type: "object",
    additionalProperties: false,
    properties: { patch: { type: "string", minLength: 1 } },
    required: ["patch"],
  },
  effect: "read",
  claims: { ...NO_CLAIMS, patches: ["patch"] },
  limits: LIMITS,
  origin: { kind: "builtin" },
};

export const CHECK_FILES: ToolManifest = {
  name: "airlock.check_files",
  description: "Look whether files are in the workspace, how large they are and what they hold.",
  inputSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      files: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          additionalProperties: false,
          properties: { path, minBytes: { type: "integer", minimum: 0 }, sha256: { type: "string" } },
          required: ["path"],
        },
      },
    },
    required: ["files"],
  },
  effect: "read",
  claims: { ...NO_CLAIMS, reads: ["files"] },
  limits: LIMITS,
  origin: { kind: "builtin" },
};

/**
 * Tools of the validator's own calls, by name. No catalog takes a name with a dot, so none of these is ever offered to a
 * model or registered for its calls.
 */
export const OWN_TOOLS: ReadonlyMap<string, ToolManifest> = new Map(
  [CHECK_PATCH, CHECK_FILES].map((manifest) => [manifest.name, manifest]),
);
