// Takes signed commands, gives an admitted run with its first turn published, or a cancelled one;
// refuses a spec that is not the one which the command names, and says why in the run's record.
import { AirlockError } from "@airlock/core/fault";
import { DONE, sendCancel, type Delivery, type Handled } from "@airlock/core/queue";
import { turnKey } from "@airlock/core/record";
import { killedBy, readRun, readSpec, sealPiece, type RunSpec } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { endRun } from "../outcome/end-run.ts";
import { publishTurn } from "../outcome/publish-turn.ts";
import { onAction } from "../quarantine/on-action.ts";
import { onKill } from "./on-kill.ts";
import { onResolve } from "../settlement/on-resolve.ts";
import { checkSpec, type Admission } from "./check-spec.ts";

type Command = Delivery<"command">["body"];

const CANCEL_BEFORE_SUBMIT_MS = 500;

export async function onCommand(deps: Deps, { body }: Delivery<"command">): Promise<Handled> {
  switch (body.kind) {
    case "submit":
      return submit(deps, body);
    case "cancel":
      return cancel(deps, body);
    case "requeue":
    case "abandon":
      await onAction(deps, body);
      return DONE;
    case "kill":
    case "unkill":
      await onKill(deps, body);
      return DONE;
    case "resolve":
      await onResolve(deps, body);
      return DONE;
  }
}

async function submit(deps: Deps, command: Extract<Command, { kind: "submit" }>): Promise<Handled> {
  const { run, specDigest } = command;
  const read = await openSpec(deps, run, specDigest);
  const spec = read.ok ? read.spec : null;
  const stopped = await killedBy(deps.redis, { run, source: spec?.workspace?.source });
  const admission: Admission =
    stopped !== null
      ? { ok: false, detail: `a person has stopped ${stopped}` }
      : read.ok
        ? checkSpec(read.spec, specDigest, known(deps))
        : read;
  const fields = {
    route: spec?.route ?? "",
    model: spec?.model ?? "",
    policy: spec?.policy ?? "",
    labels: spec?.labels ?? {},
    requestedBy: command.requestedBy,
  };
  await deps.redis.zadd(globalKeys.runs, "NX", Date.now(), run);
  if (spec === null || !admission.ok) {
    await refuse(deps, run, { fields, detail: admission.ok ? "" : admission.detail });
    return DONE;
  }
  await deps.store.keepOpen(turnKey({ run, turn: 1 }), deps.config.openMs);
  const admitted = await deps.store.admit(run, {
    fields: { ...fields, state: "running", plan: admission.plan },
    pieces: [sealPiece(deps.keyring, { run, turn: 1, phase: "in" }, opening(spec))],
    maxOutputTokens: spec.limits.maxOutputTokens,
    deadlineMs: spec.limits.deadlineMs,
    refused: false,
    events: [
      { type: "run_admitted", route: spec.route, model: spec.model },
      { type: "attempt_opened", turn: 1, attempt: 1, reason: null },
    ],
  });
  if (admitted) deps.log.write("info", "run_admitted", { run, route: spec.route });
  await publishTurn(deps, { run, turn: 1 });
  return DONE;
}

async function refuse(
  deps: Deps,
  run: string,
  refusal: { readonly fields: Readonly<Record<string, string | object>>; readonly detail: string },
): Promise<void> {
  const refused = await deps.store.admit(run, {
    fields: { ...refusal.fields, state: "failed", errorClass: "ADMISSION_REFUSED", detail: refusal.detail },
    pieces: [],
    maxOutputTokens: null,
    deadlineMs: 0,
    refused: true,
    events: [{ type: "run_ended", state: "failed", errorClass: "ADMISSION_REFUSED" }],
  });
  if (!refused) return;
  deps.log.write("info", "run_refused", { run, errorClass: "ADMISSION_REFUSED" });
  deps.metrics.count("airlock_runs_ended_total", { state: "failed" });
}

async function cancel(deps: Deps, command: Extract<Command, { kind: "cancel" }>): Promise<Handled> {
  const { run, requestedBy } = command;
  const hash = await readRun(deps.redis, run);
  if (hash === null) {
    const submitted = await deps.redis.exists(runKeys(run).spec);
    return submitted === 1 ? { kind: "later", delayMs: CANCEL_BEFORE_SUBMIT_MS } : DONE;
  }
  if (hash.endedAt !== undefined) return DONE;
  await deps.store.cancel(run, [{ type: "cancel_requested", by: requestedBy }]);
  await endRun(deps, { run, turn: hash.turn }, { state: "cancelled", errorClass: "CANCELLED" });
  await sendCancel(deps.redis, run);
  return DONE;
}

async function openSpec(
  deps: Deps,
  run: string,
  specDigest: string,
): Promise<{ readonly ok: true; readonly spec: RunSpec } | { readonly ok: false; readonly detail: string }> {
  try {
    return { ok: true, spec: await readSpec(deps, run, specDigest) };
  } catch (error) {
    if (error instanceof AirlockError && error.retry === "never") return { ok: false, detail: error.message };
    throw error;
  }
}

function opening(spec: RunSpec) {
  return [
    { type: "instructions", text: spec.instructions },
    { type: "user", text: spec.input },
  ] as const;
}

function known(deps: Deps) {
  return {
    routes: deps.routes,
    catalog: deps.catalog,
    policies: deps.policies,
    sources: deps.config.sources,
    rawMs: deps.config.rawMs,
  };
}
