import type { CallDocument, DiffDocument, RunDocument } from "@airlock/operator/document";
import type { TimedEvent } from "@airlock/operator/follow";
import { runReport, type RunReport } from "../../src/report/index.ts";

const RUN = "r00000000000000000000";

export function callOf(ordinal: number, call: Partial<CallDocument> = {}): CallDocument {
  return {
    itemKey: `${RUN}.1.1.${ordinal}`,
    callId: "c",
    tool: "run_command",
    state: "EXECUTED",
    decision: "allow",
    rules: ["reads"],
    errorClass: null,
    resultBytes: 12,
    flags: [],
    found: null,
    ...call,
  };
}

const ATTEMPT = {
  number: 1,
  raw: "completed",
  outcome: "action_required",
  errorClass: null,
  errorCode: null,
  nativeReason: null,
  flags: [],
};

export function runOf(calls: readonly CallDocument[], run: Partial<RunDocument> = {}): RunDocument {
  return {
    id: RUN,
    state: "completed",
    outcome: "candidate_complete",
    reason: null,
    pool: "p",
    turns: [{ number: 1, attempts: [ATTEMPT], calls }],
    used: { turns: 1, calls: calls.length, mutatingCalls: 0, outputTokens: 7, unreportedAttempts: 0 },
    artifact: { kind: "text", content: "é" },
    partial: null,
    ...run,
  };
}

export function reportOf(
  run: RunDocument,
  options: { readonly events?: readonly TimedEvent[]; readonly paths?: readonly string[] } = {},
): RunReport {
  const paths = options.paths ?? [];
  const files = paths.map((path) => ({ path, status: "modified" as const, added: 1, deleted: null }));
  const empty = { version: 1, endedAt: 5, baseRevision: null, text: "", textBytes: 0 } as const;
  const none = { ignored: [], ignoredTotal: 0, prepared: [], problems: [], branch: null };
  const diff: DiffDocument = {
    id: RUN,
    state: run.state,
    pool: "p",
    status: "taken",
    why: null,
    diff: { ...empty, ...none, files, filesTotal: files.length },
  };
  return runReport({ run, events: options.events ?? [], diff });
}
