// A spec in, a run played to its end out, as its document; where there is a screen, each event is shown on it.
import type { RunEvent } from "@airlock/core/contract";
import type { RunSpec } from "@airlock/core/run";
import { followEvents } from "@airlock/operator/follow";
import { submitRun } from "@airlock/operator/order";
import { type Session } from "../session/index.ts";
import { readRunDocument, type RunDocument } from "@airlock/operator/document";
import { createItemBoard, type Screen } from "../view/index.ts";

export interface Stage {
  readonly session: Session;
  /** null: nothing is shown */
  readonly out: Screen | null;
  readonly signal: AbortSignal;
}

export interface Played {
  readonly run: string;
  readonly document: RunDocument;
}

/** No run that is played here may take longer; its spec ends it before that. */
const LONGEST_MS = 15 * 60_000;

export async function play(
  stage: Stage,
  spec: RunSpec,
  onEvent: (event: RunEvent, run: string) => void = () => undefined,
): Promise<Played> {
  const { session, out, signal } = stage;
  const run = await submitRun(session, spec);
  const board = out === null ? null : createItemBoard(out);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  for await (const { event } of followEvents(session.redis, run, limit)) {
    onEvent(event, run);
    board?.show(event);
  }
  board?.close();
  signal.throwIfAborted();
  return { run, document: await readRunDocument(session, run) };
}
