import type { ActionBody, KillBody, ResolveBody } from "@airlock/core/contract";
import { createPublisher } from "@airlock/core/queue";
import { newRunId } from "@airlock/core/record";
import { keepSpec, type RunSpec } from "@airlock/core/run";
import type { ActingAccess } from "../access.ts";

/**
 * Writes the sealed spec, then adds the signed command that names it; returns the run's id. Under an id that was chosen
 * before it may be repeated with the same spec: the first one's stands, and the command goes out again.
 */
export async function submitRun(
  access: ActingAccess,
  spec: RunSpec,
  run: string = newRunId(),
): Promise<string> {
  const specDigest = await keepSpec(access, run, spec);
  await command(access, { run, kind: "submit", specDigest }, spec.priority);
  return run;
}

/** Asks for a run's end; the validator decides what can still be stopped. */
export async function cancelRun(access: ActingAccess, run: string, reason: string): Promise<void> {
  await command(access, { run, kind: "cancel", reason });
}

/** Sends an action on an ended run and returns its id, under which it will be answered. */
export async function sendAction(
  access: ActingAccess,
  action: Omit<ActionBody, "version" | "id" | "requestedBy"> & {
    readonly raise?: Readonly<Record<string, number>>;
  },
): Promise<string> {
  const id = newRunId().slice(1);
  const { raise = {}, kind, ...rest } = action;
  const asked = { ...rest, id };
  await command(access, kind === "requeue" ? { ...asked, kind, raise } : { ...asked, kind });
  return id;
}

/** Orders a stop, or its end; returns the order's id. */
export async function sendKill(
  access: ActingAccess,
  order: Pick<KillBody, "kind" | "target" | "reason">,
): Promise<string> {
  const id = newRunId().slice(1);
  await command(access, { ...order, id });
  return id;
}

/** Sends what a person found out about a call of unknown outcome; returns the id under which it will be answered. */
export async function sendResolution(
  access: ActingAccess,
  found: Pick<ResolveBody, "run" | "target" | "finding" | "reason">,
): Promise<string> {
  const id = newRunId().slice(1);
  await command(access, { ...found, kind: "resolve", id });
  return id;
}

type Unsent<Body> = Body extends unknown ? Omit<Body, "version" | "requestedBy"> : never;
type Asked =
  | Unsent<ActionBody | KillBody | ResolveBody>
  | { readonly run: string; readonly kind: "submit"; readonly specDigest: string }
  | { readonly run: string; readonly kind: "cancel"; readonly reason: string };

async function command(access: ActingAccess, asked: Asked, priority?: number): Promise<void> {
  const publisher = createPublisher(access);
  const body = { version: 1, requestedBy: access.by.slice(0, 128), ...asked } as const;
  const record = publisher.sign({ purpose: "command", body });
  await publisher.publish(record, priority === undefined ? {} : { priority });
}
