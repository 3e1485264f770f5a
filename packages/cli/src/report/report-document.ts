// A run's document, its events and its diff in, the report of a CI job out: states, decisions and sizes, no content.
import { isFinalRun, runStateSchema } from "@airlock/core/run";
import type { CallDocument, DiffDocument, RunDocument } from "@airlock/operator/document";
import type { TimedEvent } from "@airlock/operator/follow";
import { exitCodeOf } from "../wait/index.ts";

export interface CallReport extends CallDocument {
  /** from its first state to its last; null where the events don't tell any more */
  readonly durationMs: number | null;
}

interface TurnReport {
  readonly number: number;
  readonly attempts: RunDocument["turns"][number]["attempts"];
  readonly calls: readonly CallReport[];
}

export interface RunReport {
  readonly id: string;
  readonly state: string;
  readonly ended: boolean;
  /** the code with which `run --wait` ends; null before the run's end */
  readonly exitCode: number | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly used: RunDocument["used"];
  readonly turns: readonly TurnReport[];
  readonly artifact: { readonly kind: string; readonly bytes: number } | null;
  readonly diff: {
    readonly status: DiffDocument["status"];
    readonly why: string | null;
    readonly filesTotal: number;
    readonly files: readonly {
      readonly path: string;
      readonly added: number | null;
      readonly deleted: number | null;
    }[];
  };
}

export function runReport(parts: {
  readonly run: RunDocument;
  readonly events: readonly TimedEvent[];
  readonly diff: DiffDocument;
}): RunReport {
  const { run, events, diff } = parts;
  const known = runStateSchema.safeParse(run.state);
  const ended = known.success && isFinalRun(known.data);
  const startedAt = events[0]?.at ?? null;
  const endedAt = (ended && events.findLast(({ event }) => event.type === "run_ended")?.at) || null;
  const durations = callDurations(events);
  return {
    id: run.id,
    state: run.state,
    ended,
    exitCode: ended ? exitCodeOf(run.state) : null,
    outcome: run.outcome,
    reason: run.reason,
    startedAt,
    endedAt,
    durationMs: startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
    used: run.used,
    turns: run.turns.map((turn) => ({
      ...turn,
      calls: turn.calls.map((call) => ({ ...call, durationMs: durations.get(call.itemKey) ?? null })),
    })),
    artifact:
      run.artifact === null
        ? null
        : { kind: run.artifact.kind, bytes: Buffer.byteLength(run.artifact.content) },
    diff: {
      status: diff.status,
      why: diff.why,
      filesTotal: diff.diff?.filesTotal ?? 0,
      files: (diff.diff?.files ?? []).map(({ path, added, deleted }) => ({ path, added, deleted })),
    },
  };
}

function callDurations(events: readonly TimedEvent[]): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>();
  const durations = new Map<string, number>();
  for (const { at, event } of events) {
    if (event.type !== "item_state") continue;
    const time = Date.parse(at);
    const first = firsts.get(event.itemKey) ?? time;
    firsts.set(event.itemKey, first);
    durations.set(event.itemKey, time - first);
  }
  return durations;
}
