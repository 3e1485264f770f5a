import { userInfo } from "node:os";
import type { ActionBody, KillBody, ResolveBody } from "@airlock/core/contract";
import { createPublisher } from "@airlock/core/queue";
import { newRunId } from "@airlock/core/record";
import { writeSpec, type RunSpec } from "@airlock/core/run";
import type { Session } from "./session.ts";

/** Writes the sealed spec, then adds the signed command that names it; returns the run's id. */
export async function submitRun(session: Session, spec: RunSpec): Promise<string> {
  const run = newRunId();
  const { specDigest } = await writeSpec(session, run, spec);
  await command(session, { run, kind: "submit", specDigest }, spec.priority);
  return run;
}

/** Asks for a run's end; the validator decides what can still be stopped. */
export async function cancelRun(session: Session, run: string, reason: string): Promise<void> {
  await command(session, { run, kind: "cancel", reason });
}

/** Who asks: the user of the operating system, if nobody else is named. */
function requester(name?: string): string {
  return (name ?? userInfo().username).slice(0, 128);
}

/** Sends an action on an ended run and returns its id, under which it will be answered. */
export async function sendAction(
  session: Session,
  action: Omit<ActionBody, "version" | "id" | "requestedBy"> & {
    readonly raise?: Readonly<Record<string, number>>;
    readonly as?: string | undefined;
  },
): Promise<string> {
  const id = newRunId().slice(1);
  const { as, raise = {}, kind, ...rest } = action;
  const asked = { ...rest, id, requestedBy: requester(as) };
  await command(session, kind === "requeue" ? { ...asked, kind, raise } : { ...asked, kind });
  return id;
}

/** Orders a stop, or its end; returns the order's id. */
export async function sendKill(
  session: Session,
  order: Pick<KillBody, "kind" | "target" | "reason"> & { readonly as: string | undefined },
): Promise<string> {
  const id = newRunId().slice(1);
  const { as, ...rest } = order;
  await command(session, { ...rest, id, requestedBy: requester(as) });
  return id;
}

/** Sends what a person found out about a call of unknown outcome; returns the id under which it will be answered. */
export async function sendResolution(
  session: Session,
  found: Pick<ResolveBody, "run" | "target" | "finding" | "reason"> & { readonly as: string | undefined },
): Promise<string> {
  const id = newRunId().slice(1);
  const { as, ...rest } = found;
  await command(session, { ...rest, kind: "resolve", id, requestedBy: requester(as) });
  return id;
}

type Unsent<Body> = Body extends unknown ? Omit<Body, "version"> : never;
type Asked =
  | Unsent<ActionBody | KillBody | ResolveBody>
  | { readonly run: string; readonly kind: "submit"; readonly specDigest: string }
  | { readonly run: string; readonly kind: "cancel"; readonly reason: string };

async function command(session: Session, asked: Asked, priority?: number): Promise<void> {
  const publisher = createPublisher(session);
  const body = { version: 1, requestedBy: requester(), ...asked } as const;
  const record = publisher.sign({ purpose: "command", body });
  await publisher.publish(record, priority === undefined ? {} : { priority });
}
