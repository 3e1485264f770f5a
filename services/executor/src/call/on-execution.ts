// Takes a signed grant, gives one start of its tool at most and one published outcome;
// refuses grants that don't fit their item, come too late, or are over, and puts back what another executor holds.
import { DONE, queueName, type Delivery, type Handled } from "@airlock/core/queue";
import { errorFields } from "@airlock/core/runtime";
import type { ClaimAnswer, LedgerEntry } from "@airlock/core/ledger";
import type { Deps } from "../deps.ts";
import { decideHere, pathScopes } from "../grant/decide-here.ts";
import { reconcileCall } from "../reconcile/index.ts";
import { openCall, type CallRefusal, type OpenedCall } from "../grant/open-call.ts";
import { reserveEffect } from "../grant/reserve-effect.ts";
import type { Pass } from "../durability/index.ts";
import type { Lease } from "../lease/index.ts";
import { denial } from "./ending.ts";
import { killRefusal } from "./kill-switches.ts";
import { noteRefused } from "./note-refused.ts";
import { prepareCall } from "./prepare-call.ts";
import { publishRedecide, publishRefused, publishRegrant, publishSettled } from "./publish-result.ts";
import { beginAndRun, ENDED, GIVEN_BACK, type Left } from "./run-begun.ts";
import { planTool } from "./run-tool.ts";

/** A lease ends with its call, long before its time as a rule: what waits for one looks again sooner. */
const LOOK_AGAIN_MS = 500;

function later(leaseMs: number): Handled {
  return { kind: "later", delayMs: Math.min(leaseMs, LOOK_AGAIN_MS) };
}

type Grant = Delivery<"execution">["body"];
interface Claimed {
  readonly grant: Grant;
  readonly fence: number;
  readonly lease: Lease;
  readonly pass: Pass;
}

export async function onExecution(
  deps: Deps,
  { body: grant, signal }: Delivery<"execution">,
): Promise<Handled> {
  const pass = await deps.durability.enter();
  if (pass === null) return later(LOOK_AGAIN_MS);
  if (grant.effect === "read") return onRead(deps, { grant, pass }, signal);
  const opened = await openCall(deps, grant);
  if (opened.ok) {
    const reserved = await reserveEffect(deps, grant, opened.args);
    if (reserved.kind === "held") return later(reserved.leaseMs);
    if (reserved.kind === "repeated") {
      await publishRedecide(deps, grant, reserved.owner);
      return DONE;
    }
  }
  const askedAt = process.hrtime.bigint();
  return onClaim(deps, { grant, opened, pass, askedAt, answer: await claim(deps, grant) }, signal);
}

/** Nothing is reserved for a call that only reads: it is opened beside its claim. */
async function onRead(
  deps: Deps,
  { grant, pass }: Pick<Claimed, "grant" | "pass">,
  signal: AbortSignal,
): Promise<Handled> {
  const askedAt = process.hrtime.bigint();
  const [opened, answer] = await Promise.allSettled([openCall(deps, grant), claim(deps, grant)]);
  if (answer.status === "rejected") throw answer.reason;
  if (opened.status === "rejected") {
    await unclaim(deps, grant, answer.value);
    throw opened.reason;
  }
  return onClaim(deps, { grant, opened: opened.value, pass, askedAt, answer: answer.value }, signal);
}

/** A claim whose item can't be read now: the delivery is tried again, and must not wait for its own lease first. */
async function unclaim({ ledger, log }: Deps, { itemKey }: Grant, answer: ClaimAnswer): Promise<void> {
  if (answer.kind !== "claimed") return;
  try {
    await ledger.release(itemKey, answer.fence);
  } catch (error) {
    log.write("warn", "handler_failed", { place: "executions", itemKey, ...errorFields(error) });
  }
}

interface Asked extends Pick<Claimed, "grant" | "pass"> {
  readonly opened: OpenedCall;
  readonly askedAt: bigint;
  readonly answer: ClaimAnswer;
}

async function onClaim(
  deps: Deps,
  { grant, opened, pass, askedAt, answer }: Asked,
  signal: AbortSignal,
): Promise<Handled> {
  const { itemKey } = grant;
  // what another Redis said is nobody's answer; this one will be asked again
  if (answer.kind !== "claimed" && !pass.still()) return later(LOOK_AGAIN_MS);
  switch (answer.kind) {
    case "claimed":
      return underLease(deps, { grant, fence: answer.fence, opened, pass, askedAt }, signal);
    case "held":
      return later(answer.leaseMs);
    case "settled":
      deps.metrics.count("airlock_duplicate_deliveries_total", {
        queue: queueName("executions", grant.pool),
      });
      await publishSettled(deps, itemKey);
      return DONE;
    case "unknown":
      return reconcileCall(deps, grant, signal);
    case "regrant":
      await giveBack(deps, grant, answer);
      return DONE;
    case "refused": {
      const errorClass = noteRefused(deps, grant, answer.reason);
      if (errorClass !== null) await publishRefused(deps, grant, errorClass);
      return DONE;
    }
  }
}

function claim(deps: Deps, grant: Grant): Promise<ClaimAnswer> {
  return deps.ledger.claim({
    itemKey: grant.itemKey,
    owner: deps.owner,
    leaseMs: deps.config.leaseMs,
    knownFence: deps.durability.knownFence(grant.itemKey),
    grant: grant.grant,
    digest: grant.argumentsDigest,
    tool: grant.tool,
    effect: grant.effect,
    expiresAt: grant.expiresAt,
    notAfter: grant.notAfter,
    nonce: grant.approval?.nonce ?? null,
  });
}

/** A read that may be granted again. What was lost of it is ended first where it can be: it changes nothing if it goes on. */
async function giveBack(
  deps: Deps,
  { itemKey, grant }: Grant,
  { fence, errorClass }: Extract<ClaimAnswer, { kind: "regrant" }>,
): Promise<void> {
  if (errorClass === "OUTCOME_UNKNOWN") await deps.sandbox?.backend.kill(`${itemKey}.${fence}`);
  await publishRegrant(deps, { itemKey, grant, fence, errorClass });
}

async function underLease(
  deps: Deps,
  claimed: Omit<Claimed, "lease"> & { readonly opened: OpenedCall; readonly askedAt: bigint },
  signal: AbortSignal,
): Promise<Handled> {
  const { grant, fence, askedAt } = claimed;
  const { itemKey } = grant;
  const lease = deps.leases.keep({ itemKey, fence, askedAt });
  let entry: LedgerEntry | null = null;
  try {
    const either = AbortSignal.any([signal, lease.signal]);
    const left = await deps.cancels.during(grant.run, either, (any) =>
      execute(deps, { ...claimed, lease }, any),
    );
    if (left.kind === "given_back") return DONE;
    entry = left.entry;
  } finally {
    lease.stop();
  }
  // where nobody saw the call's end, or its lease was lost before it began, this job is all that remembers it
  return (await publishSettled(deps, itemKey, entry)) ? DONE : later(LOOK_AGAIN_MS);
}

async function execute(
  deps: Deps,
  claimed: Claimed & { readonly opened: OpenedCall },
  signal: AbortSignal,
): Promise<Left> {
  const { grant, fence, opened } = claimed;
  if (!opened.ok) return refuse(deps, claimed, opened);
  const prepared = await prepareCall(deps, grant, { ...opened.manifest.limits, signal });
  if (!prepared.ok) return refuse(deps, claimed, prepared);
  try {
    const refusal = await decideHere(deps, grant, { ...opened, view: prepared.files.look });
    if (refusal !== null) return await refuse(deps, claimed, refusal);
    const { itemKey, workspace } = grant;
    const { lease, pass } = claimed;
    const may = pathScopes(deps, grant.policy);
    const about = { itemKey, fence, lease, source: workspace.source, may, prepared, bodies: deps.bodies };
    const plan = await planTool({ ...about, ...opened }, signal);
    const killed = await killRefusal(deps, grant);
    if (killed !== null) return await refuse(deps, claimed, killed);
    const sandbox = prepared.session?.backend ?? null;
    return await beginAndRun(deps, { grant, fence, lease, pass, plan, sandbox }, signal);
  } finally {
    await prepared.close();
  }
}

/** Ends a call that was claimed and never begun, or gives it back where the validator has to decide again. */
async function refuse(
  deps: Deps,
  { grant, fence }: Pick<Claimed, "grant" | "fence">,
  refusal: Omit<CallRefusal, "ok">,
): Promise<Left> {
  const { itemKey, tool } = grant;
  const { errorClass, detail } = refusal;
  deps.log.write("warn", "call_refused", { itemKey, tool, errorClass, detail });
  if (refusal.regrant !== true) {
    await deps.ledger.end(itemKey, fence, denial(errorClass, refusal.tellable === true ? detail : null));
    return ENDED;
  }
  if (!(await deps.ledger.release(itemKey, fence))) return ENDED;
  await publishRegrant(deps, { itemKey, grant: grant.grant, fence, errorClass });
  return GIVEN_BACK;
}
