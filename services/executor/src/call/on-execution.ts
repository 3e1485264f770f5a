// Takes a signed grant, gives one start of its tool at most and one published outcome;
// refuses grants that don't fit their item, come too late, or are over, and puts back what another executor holds.
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import type { Deps } from "../deps.ts";
import { decideHere } from "../grant/decide-here.ts";
import { openCall, type CallRefusal, type OpenedCall } from "../grant/open-call.ts";
import { denial, endingOf } from "./ending.ts";
import { keepLease, type Lease } from "./lease.ts";
import { prepareCall } from "./prepare-call.ts";
import { publishRegrant, publishSettled } from "./publish-result.ts";
import { planTool, runPlan } from "./run-tool.ts";
import type { ToolPlan } from "../tools/index.ts";

/** A lease ends with its call, long before its time as a rule: what waits for one looks again sooner. */
const LOOK_AGAIN_MS = 500;

type Grant = Delivery<"execution">["body"];
interface Claimed {
  readonly grant: Grant;
  readonly fence: number;
  readonly lease: Lease;
}

export async function onExecution(
  deps: Deps,
  { body: grant, signal }: Delivery<"execution">,
): Promise<Handled> {
  const { itemKey } = grant;
  const opened = await openCall(deps, grant);
  const answer = await deps.ledger.claim({
    itemKey,
    owner: deps.owner,
    leaseMs: deps.config.leaseMs,
    knownFence: 0,
    grant: grant.grant,
    digest: grant.argumentsDigest,
    tool: grant.tool,
    effect: grant.effect,
    expiresAt: grant.expiresAt,
    notAfter: grant.notAfter,
  });
  switch (answer.kind) {
    case "claimed":
      return underLease(deps, { grant, fence: answer.fence, opened }, signal);
    case "held":
      return { kind: "later", delayMs: Math.min(answer.leaseMs, LOOK_AGAIN_MS) };
    case "settled":
    case "unknown":
      await publishSettled(deps, itemKey);
      return DONE;
    case "regrant":
      await publishRegrant(deps, {
        itemKey,
        grant: grant.grant,
        fence: answer.fence,
        errorClass: answer.errorClass,
      });
      return DONE;
    case "refused":
      deps.log.write("warn", "call_refused", { itemKey, tool: grant.tool, state: answer.reason });
      return DONE;
  }
}

async function underLease(
  deps: Deps,
  claimed: { readonly grant: Grant; readonly fence: number; readonly opened: OpenedCall },
  signal: AbortSignal,
): Promise<Handled> {
  const { grant, fence, opened } = claimed;
  const { itemKey } = grant;
  const lease = keepLease(deps.ledger, { itemKey, fence, leaseMs: deps.config.leaseMs });
  try {
    const either = AbortSignal.any([signal, lease.signal]);
    const left = await deps.cancels.during(grant.run, either, (any) =>
      execute(deps, { grant, fence, lease, opened }, any),
    );
    if (left === "given_back") return DONE;
  } finally {
    lease.stop();
  }
  // where the lease was lost before the call began, this job is all that remembers it
  return (await publishSettled(deps, itemKey)) ? DONE : { kind: "later", delayMs: deps.config.leaseMs };
}

/** What becomes of a claim: the call has an end, or the validator has it again. */
type Left = "ended" | "given_back";

async function execute(
  deps: Deps,
  claimed: Claimed & { readonly opened: OpenedCall },
  signal: AbortSignal,
): Promise<Left> {
  const { grant, fence, lease, opened } = claimed;
  if (!opened.ok) return refuse(deps, claimed, opened);
  const prepared = await prepareCall(deps, grant, opened.manifest.limits);
  if (!prepared.ok) return refuse(deps, claimed, prepared);
  try {
    const refusal = await decideHere(deps, grant, { ...opened, view: prepared.files.look });
    if (refusal !== null) return await refuse(deps, claimed, refusal);
    const { source } = grant.workspace;
    const planned = {
      itemKey: grant.itemKey,
      fence,
      lease,
      source,
      prepared,
      bodies: deps.bodies,
      ...opened,
    };
    const plan = await planTool(planned, signal);
    const beginning = { expected: null, ...(prepared.session && { sandbox: prepared.session.backend }) };
    if ((await deps.ledger.begin(grant.itemKey, fence, beginning)) === "started") {
      await runAndEnd(deps, { grant, fence, plan }, signal);
    }
    return "ended";
  } finally {
    await prepared.close();
  }
}

async function runAndEnd(
  deps: Deps,
  call: Pick<Claimed, "grant" | "fence"> & { readonly plan: ToolPlan },
  signal: AbortSignal,
): Promise<void> {
  const { grant, fence, plan } = call;
  const { itemKey, tool } = grant;
  const started = performance.now();
  const outcome = plan.kind === "outcome" ? plan.outcome : await runPlan(plan, signal);
  const durationMs = Math.round(performance.now() - started);
  const ended = await deps.ledger.end(
    itemKey,
    fence,
    endingOf(deps.keyring, { itemKey, outcome, durationMs }),
  );
  const { status: state, errorClass } = outcome;
  deps.log.write("info", "call_executed", {
    itemKey,
    tool,
    state: ended ? state : "stale",
    errorClass,
    durationMs,
  });
}

/** Ends a call that was claimed and never begun, or gives it back where the validator has to decide again. */
async function refuse(
  deps: Deps,
  { grant, fence }: Claimed,
  refusal: Omit<CallRefusal, "ok">,
): Promise<Left> {
  const { itemKey, tool } = grant;
  const { errorClass, detail } = refusal;
  deps.log.write("warn", "call_refused", { itemKey, tool, errorClass, detail });
  if (refusal.regrant !== true) {
    await deps.ledger.end(itemKey, fence, denial(errorClass, refusal.tellable === true ? detail : null));
    return "ended";
  }
  if (!(await deps.ledger.release(itemKey, fence))) return "ended";
  await publishRegrant(deps, { itemKey, grant: grant.grant, fence, errorClass });
  return "given_back";
}
