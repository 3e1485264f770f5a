import { canonicalJson, type JsonObject } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";

/** `read` changes nothing, `idempotent` may run twice with one effect, `mutating` may not. */
export const EFFECTS = ["read", "idempotent", "mutating"] as const;
export type EffectClass = (typeof EFFECTS)[number];

/** Which arguments say what a call touches, as data; `resourceClaims` reads them. */
export interface ToolClaims {
  /** Names of arguments that hold a path that is read, or a list of objects with such a `path`. */
  readonly reads: readonly string[];
  /** Names of arguments that hold a path that is written. */
  readonly writes: readonly string[];
  /** Names of arguments that hold a unified diff; its headers name the paths written. */
  readonly patches: readonly string[];
  /** What the tool may touch beyond the paths that its arguments name. */
  readonly workspace: "none" | "read" | "write";
}

/**
 * Where a tool comes from. An operator's is a command, and maybe a second one that looks for the first one's effect, so
 * another command is another tool; an MCP server's is the
 * server's name in the operator's configuration and the tool's name there. Nothing serves MCP yet.
 */
export type ToolOrigin =
  | { readonly kind: "builtin" }
  | { readonly kind: "operator"; readonly command: readonly string[]; readonly probe?: readonly string[] }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string };

export interface ToolManifest {
  readonly name: string;
  /** Read by the model. */
  readonly description: string;
  /** JSON Schema 2020-12 in which every object says what other keys it takes. */
  readonly inputSchema: JsonObject;
  readonly effect: EffectClass;
  readonly claims: ToolClaims;
  readonly limits: {
    readonly timeoutMs: number;
    readonly outputBytes: number;
    readonly argumentBytes: number;
  };
  readonly origin: ToolOrigin;
}

/** The exact text that is sent to the model and enforced; drift between the two would show in its digest. */
export function schemaText(manifest: ToolManifest): string {
  return canonicalJson(manifest.inputSchema);
}

/** A manifest is data that nobody changes: each is digested once. */
const digests = new WeakMap<ToolManifest, string>();

/** SHA-256, in hex, of the whole manifest's canonical form: what a run pins. */
export function manifestDigest(manifest: ToolManifest): string {
  const known = digests.get(manifest) ?? digestOf(manifest);
  digests.set(manifest, known);
  return known;
}

function digestOf(manifest: ToolManifest): string {
  const { name, description, inputSchema, effect, claims, limits, origin } = manifest;
  return sha256Hex(
    canonicalJson({
      name,
      description,
      inputSchema,
      effect,
      claims: { ...claims },
      limits: { ...limits },
      origin: { ...origin },
    }),
  );
}
