import type { ErrorClass } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import type { Guarantee, SandboxSession } from "../sandbox/index.ts";
import type { WorkspaceFs } from "../workspace/index.ts";

/** What a tool's body returns. Only the first kind ran; `content` goes to the model. */
export type ToolOutcome =
  | {
      readonly status: "ok" | "error" | "timeout" | "output_limit" | "cancelled";
      readonly errorClass: ErrorClass | null;
      readonly content: JsonObject;
    }
  | ToolRefusal
  | { readonly status: "unknown"; readonly errorClass: ErrorClass; readonly detail: string };

/** Nothing was run or changed. */
export interface ToolRefusal {
  readonly status: "refused";
  readonly errorClass: ErrorClass;
  readonly detail: string;
}

export interface ToolContext {
  readonly files: WorkspaceFs;
  /** Null where the sandbox doesn't hold what a command needs; `missing` says what. */
  readonly session: SandboxSession | null;
  readonly missing: readonly Guarantee[];
  readonly limits: { readonly timeoutMs: number; readonly outputBytes: number };
  /** Item key and fence. */
  readonly name: string;
  /** Asked right before anything changes or starts. */
  readonly fenceHolds: () => Promise<boolean>;
}

/** The arguments have passed the manifest's schema; a body that still can't read them refuses. */
export type ToolBody = (context: ToolContext, args: JsonObject, signal: AbortSignal) => Promise<ToolOutcome>;

export function succeed(content: JsonObject): ToolOutcome {
  return { status: "ok", errorClass: null, content };
}

export function refuse(errorClass: ErrorClass, detail: string): ToolRefusal {
  return { status: "refused", errorClass, detail };
}

export const CLAIM_LOST = refuse("CLAIM_LOST", "another executor holds the call");
