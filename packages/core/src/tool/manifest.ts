import { canonicalJson, type JsonObject } from "../json/index.ts";
import { sha256Hex } from "../record/index.ts";

/** `read` changes nothing, `idempotent` may run twice with one effect, `mutating` may not. */
export type EffectClass = "read" | "idempotent" | "mutating";

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

export interface ToolManifest {
  readonly name: string;
  /** Read by the model. */
  readonly description: string;
  /** JSON Schema 2020-12 in which every object is closed. */
  readonly inputSchema: JsonObject;
  readonly effect: EffectClass;
  readonly claims: ToolClaims;
  readonly limits: {
    readonly timeoutMs: number;
    readonly outputBytes: number;
    readonly argumentBytes: number;
  };
  readonly origin: { readonly kind: "builtin" };
}

/** The exact text that is sent to the model and enforced; drift between the two would show in its digest. */
export function schemaText(manifest: ToolManifest): string {
  return canonicalJson(manifest.inputSchema);
}

/** SHA-256, in hex, of the whole manifest's canonical form: what a run pins. */
export function manifestDigest(manifest: ToolManifest): string {
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
