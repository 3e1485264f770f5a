import type { ErrorClass } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import type { Guarantee, SandboxSession } from "../sandbox/index.ts";
import type { Workspace, WorkspaceFs } from "../workspace/index.ts";

/** What a tool returns. Only the first kind ran; `content` goes to the model. */
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
  readonly workspace: Pick<Workspace, "tree" | "gitDir" | "staging" | "baseRevision">;
  /** Where the run's repository comes from: an absolute path or a URL. */
  readonly source: string;
  /** Whether policy lets the run read or write this path, relative to the tree: for paths that no argument names. */
  readonly may: (use: "read" | "write", path: string) => boolean;
  /** Null where the sandbox doesn't hold what a command needs; `missing` says what. */
  readonly session: SandboxSession | null;
  readonly missing: readonly Guarantee[];
  readonly limits: { readonly timeoutMs: number; readonly outputBytes: number };
  /** The call's own key, and its idempotency key. */
  readonly itemKey: string;
  /** Item key and fence; of a probe, any name that no call has. */
  readonly name: string;
  /** Asked right before anything changes or starts: false before the call has begun. Of a probe, whether it is still wanted. */
  readonly fenceHolds: () => Promise<boolean>;
}

export type ProbeContext = Omit<ToolContext, "missing" | "may">;

/** What became of a call whose end nobody saw. */
export type ProbeFinding = "done" | "not_done" | "inconclusive";

/** The arguments have passed the manifest's schema; a tool that still can't read them refuses. */
export interface Tool {
  /** Reads, decides, changes nothing. What it refuses or finds wrong is the call's outcome. */
  plan(context: ToolContext, args: JsonObject, signal: AbortSignal): Promise<ToolPlan>;
  /** Holds what a plan expected against what is there, and changes nothing; null: nobody can tell. */
  readonly probe:
    | ((context: ProbeContext, expected: JsonObject, signal: AbortSignal) => Promise<ProbeFinding>)
    | null;
}

export type ToolPlan = { readonly kind: "outcome"; readonly outcome: ToolOutcome } | ReadyPlan;

/** A file as a plan would leave it; null: gone. */
export type PlannedChange =
  | { readonly kind: "content"; readonly path: string; readonly after: Uint8Array | null }
  | { readonly kind: "move"; readonly from: string; readonly to: string };

export interface ReadyPlan {
  readonly kind: "ready";
  /** What a probe is held against: content, so it is kept sealed. Null for tools without a probe. */
  readonly expected: JsonObject | null;
  /** what people are shown who have to approve it; left out by tools that can't tell */
  readonly changes?: readonly PlannedChange[];
  run(signal: AbortSignal): Promise<ToolOutcome>;
}

/** One look, after which nothing is left to know: all of it happens when the call has begun. */
export function lookingTool(
  look: (context: ToolContext, args: JsonObject, signal: AbortSignal) => Promise<ToolOutcome>,
): Tool {
  return {
    plan: (context, args) =>
      Promise.resolve({ kind: "ready", expected: null, run: (signal) => look(context, args, signal) }),
    probe: null,
  };
}

export function endedPlan(outcome: ToolOutcome): ToolPlan {
  return { kind: "outcome", outcome };
}

export function succeed(content: JsonObject): ToolOutcome {
  return { status: "ok", errorClass: null, content };
}

export function refuse(errorClass: ErrorClass, detail: string): ToolRefusal {
  return { status: "refused", errorClass, detail };
}

export const CLAIM_LOST = refuse("CLAIM_LOST", "another executor holds the call");
