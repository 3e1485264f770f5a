import type { JsonObject } from "../json/index.ts";
import type { EffectClass, ResourceClaims } from "../tool/index.ts";
import type { ApprovalOptions } from "./approval-options.ts";
import type { ArgumentTest } from "./argument-pattern.ts";
import type { CommandPart } from "./command/index.ts";
import type { Decision } from "./decision.ts";
import type { PathTest } from "./globs.ts";

export interface PolicyRule {
  readonly id: string;
  readonly decision: Decision;
  readonly reason: string;
  /** whether the model may not see id and reason */
  readonly private: boolean;
  /** what it asks of an approval; null unless it decides `approve` */
  readonly approval: ApprovalOptions | null;
  /** null where the rule names no command */
  readonly command: ((part: CommandPart) => boolean) | null;
  /** null where the rule names no argument */
  readonly args: ArgumentTest | null;
}

export interface PathScope {
  readonly allows: PathTest;
  readonly forbids: PathTest;
  /** no path is allowed by it */
  readonly empty: boolean;
}

export interface RepoScope {
  /** the components with which a source has to end */
  readonly id: readonly string[];
  readonly branches: PathScope | null;
  readonly requireBaseRevision: boolean;
}

/** What one file says. A policy is its own file and those that it extends; the strictest of all layers holds. */
export interface PolicyLayer {
  readonly rulesByTool: ReadonlyMap<string, readonly PolicyRule[]>;
  /** null where the file leaves the scope to those that it extends */
  readonly paths: { readonly read: PathScope | null; readonly write: PathScope | null };
  /** null where the file names no repository, and so leaves them all */
  readonly repos: readonly RepoScope[] | null;
  /** Whether the file extends none: only then what its rules don't name is forbidden by it. */
  readonly root: boolean;
}

export interface RunBounds {
  readonly turns: number | null;
  readonly calls: number | null;
  readonly mutating: number | null;
}

export interface PolicyLimits {
  readonly argsBytes: number;
  readonly jsonDepth: number;
  readonly commands: number;
  readonly wrapperDepth: number;
  readonly perRun: RunBounds;
}

export interface PolicyDefaults {
  readonly unparseable: "quarantine" | "forbid";
  readonly onAskNonInteractive: "park" | "deny";
  readonly approvalTtlMs: number | null;
  readonly onRepeatEffect: OnRepeat;
}

/** What becomes of a call whose effect an older one had, or may have had. */
export type OnRepeat = "approve" | "return_recorded" | "deny";

/** A policy that loaded: checked, its examples run, its globs and patterns compiled. */
export interface Policy {
  readonly name: string;
  readonly mode: "enforce" | "shadow";
  /** SHA-256, in hex, of the canonical form of the document as it was written. */
  readonly digest: string;
  /** its own file first */
  readonly layers: readonly PolicyLayer[];
  readonly limits: PolicyLimits;
  readonly defaults: PolicyDefaults;
  /** examples of its own file; each of them held when it loaded */
  readonly examples: number;
  /** rules that can decide nothing, each as `file:line:column: message` */
  readonly warnings: readonly string[];
}

/** Where a run works: what of its spec the scopes of repositories are held against. */
export interface RunPlace {
  readonly source: string;
  readonly ref: string;
  readonly baseRevision?: string | undefined;
}

export interface PolicyRequest {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly arguments: JsonObject;
  readonly claims: ResourceClaims;
  /** null where it is not asked about */
  readonly place: RunPlace | null;
}

/** One thing that policy has to say about a call. Reasons never quote arguments. */
export interface Finding {
  readonly rule: string;
  readonly decision: Decision;
  readonly reason: string;
  /** the model may not see rule and reason */
  readonly private?: true;
}
