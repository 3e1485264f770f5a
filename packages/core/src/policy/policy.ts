import type { JsonObject } from "../json/index.ts";
import type { EffectClass, ResourceClaims } from "../tool/index.ts";
import type { Decision } from "./decision.ts";
import type { PathTest } from "./globs.ts";

export interface PolicyRule {
  readonly id: string;
  readonly decision: Decision;
  readonly reason: string;
  readonly matches: (args: JsonObject) => boolean;
}

export interface PathScope {
  readonly allows: PathTest;
  readonly forbids: PathTest;
}

/** A policy that loaded: checked, its examples run, its globs compiled. */
export interface Policy {
  readonly name: string;
  /** SHA-256, in hex, of the canonical form of the document as it was written. */
  readonly digest: string;
  readonly rulesByTool: ReadonlyMap<string, readonly PolicyRule[]>;
  readonly paths: { readonly read: PathScope; readonly write: PathScope };
  readonly limits: { readonly argsBytes: number };
}

export interface PolicyRequest {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly arguments: JsonObject;
  readonly claims: ResourceClaims;
}

/** One thing that policy has to say about a call. Reasons never quote arguments. */
export interface Finding {
  readonly rule: string;
  readonly decision: Decision;
  readonly reason: string;
}
