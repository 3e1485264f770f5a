// A planned call in, its one end in the ledger out. With effects it runs only once its start is kept by Redis and by this
// executor's own log; where either isn't shown nothing has run, and the call goes back.
import type { ExecutionBody } from "@airlock/core/contract";
import type { Beginning, Ending, LedgerEntry } from "@airlock/core/ledger";
import { errorFields } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import type { Pass } from "../durability/index.ts";
import type { Lease } from "../lease/index.ts";
import { sealExpected } from "../reconcile/expected.ts";
import type { SandboxBackend } from "../sandbox/index.ts";
import type { ReadyPlan, ToolOutcome, ToolPlan } from "../tools/index.ts";
import { endingOf } from "./ending.ts";
import { publishRegrant } from "./publish-result.ts";
import { runPlan } from "./run-tool.ts";

export interface BegunCall {
  readonly grant: ExecutionBody;
  readonly fence: number;
  readonly lease: Lease;
  readonly pass: Pass;
  readonly plan: ToolPlan;
  /** what its programs run in; null for tools that start none */
  readonly sandbox: SandboxBackend["name"] | null;
}

/** What becomes of a claim: the call has an end, which the ledger has told already or is asked for, or the validator has it again. */
export type Left =
  | { readonly kind: "ended"; readonly entry: LedgerEntry | null }
  | { readonly kind: "given_back" };
export const ENDED: Left = { kind: "ended", entry: null };
export const GIVEN_BACK: Left = { kind: "given_back" };

export async function beginAndRun(deps: Deps, call: BegunCall, signal: AbortSignal): Promise<Left> {
  const { grant, plan, pass } = call;
  if (!pass.still()) return ENDED; // the claim was another Redis'; this one will be asked again
  return plan.kind === "outcome" || grant.effect === "read"
    ? runUnlogged(deps, call, signal)
    : runLogged(deps, { ...call, plan }, signal);
}

/** Nothing that could be lost: a call that changes nothing, or one whose plan was its end. */
async function runUnlogged(deps: Deps, call: BegunCall, signal: AbortSignal): Promise<Left> {
  const { grant, fence, plan } = call;
  const beginning = beginningOf(call, null);
  if ((await deps.ledger.begin(grant.itemKey, fence, beginning)) !== "started") return ENDED;
  const ran = await timed(() =>
    plan.kind === "outcome" ? Promise.resolve(plan.outcome) : runPlan(plan, signal),
  );
  const ending = endingOf(deps.keyring, { itemKey: grant.itemKey, ...ran });
  // one after the other in Redis, and one wait for both
  const [ended, entry] = await Promise.all([
    deps.ledger.end(grant.itemKey, fence, ending),
    deps.ledger.read(grant.itemKey),
  ]);
  tell(deps, call, { ...ran, ended });
  return { kind: "ended", entry };
}

async function runLogged(
  deps: Deps,
  call: BegunCall & { readonly plan: ReadyPlan },
  signal: AbortSignal,
): Promise<Left> {
  const { grant, fence, lease, pass, plan } = call;
  const { itemKey } = grant;
  const expected = plan.expected === null ? null : sealExpected(deps.keyring, itemKey, plan.expected);
  const begun = await deps.durability.begin(itemKey, fence, beginningOf(call, expected));
  if (begun.answer !== "started") return ENDED;
  const kept = await begun.kept(AbortSignal.any([signal, lease.signal]));
  const logged = kept && pass.still() && (await logStart(deps, call));
  if (!logged || !pass.still()) return giveBack(deps, call);
  try {
    const ran = await timed(() => runPlan(plan, signal));
    const ending = endingOf(deps.keyring, { itemKey, ...ran });
    tell(deps, call, { ...ran, ended: await endLogged(deps, call, ending) });
  } finally {
    deps.durability.writeAhead.settled(itemKey);
  }
  return ENDED;
}

function beginningOf({ sandbox }: BegunCall, expected: string | null): Beginning {
  return { expected, ...(sandbox === null ? {} : { sandbox }) };
}

async function logStart(deps: Deps, { grant, fence }: BegunCall): Promise<boolean> {
  const { itemKey, grant: number, argumentsDigest: digest, tool, effect } = grant;
  const line = { itemKey, fence, grant: number, digest, tool, effect, owner: deps.owner };
  try {
    await deps.durability.writeAhead.started(line);
    return true;
  } catch (error) {
    deps.log.write("error", "log_failed", { itemKey, tool, ...errorFields(error) });
    return false;
  }
}

/** Nothing ran, and the holder of the fence says so; where it isn't that any more, whoever comes next finds out. */
async function giveBack(deps: Deps, { grant, fence, pass }: BegunCall): Promise<Left> {
  const { itemKey, tool } = grant;
  const errorClass = "DURABILITY_UNAVAILABLE";
  deps.durability.writeAhead.settled(itemKey);
  deps.log.write("warn", "call_given_back", { itemKey, tool, errorClass });
  if (!pass.still() || !(await deps.ledger.unbegin(itemKey, fence))) return ENDED;
  await publishRegrant(deps, { itemKey, grant: grant.grant, fence, errorClass });
  return GIVEN_BACK;
}

/**
 * The end as it was seen under a lease goes to the log, then to Redis for as long as that takes. One that comes after the
 * lease is evidence: the call may be somebody else's to find out about.
 */
async function endLogged(deps: Deps, { grant, fence, lease }: BegunCall, ending: Ending): Promise<boolean> {
  const call = { itemKey: grant.itemKey, fence };
  if (lease.alive()) {
    if (ending.transition === "commit") await logEnd(deps, call, ending);
    if (await deps.durability.end(call, ending)) return true;
  }
  const { status, contentDigest } = ending;
  await deps.ledger.keepEvidence(call.itemKey, { fence, status, contentDigest });
  return false;
}

/** A disk that takes no more lines now doesn't undo what was done: Redis alone has to hold the end. */
async function logEnd(
  deps: Deps,
  call: { readonly itemKey: string; readonly fence: number },
  ending: Ending,
): Promise<void> {
  try {
    await deps.durability.writeAhead.committed(call, ending);
  } catch (error) {
    deps.log.write("error", "log_failed", { itemKey: call.itemKey, ...errorFields(error) });
  }
}

interface Ran {
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

async function timed(run: () => Promise<ToolOutcome>): Promise<Ran> {
  const started = performance.now();
  const outcome = await run();
  return { outcome, durationMs: Math.round(performance.now() - started) };
}

function tell(
  deps: Deps,
  { grant }: BegunCall,
  { outcome, durationMs, ended }: Ran & { readonly ended: boolean },
) {
  const { itemKey, tool } = grant;
  const { status, errorClass } = outcome;
  deps.log.write("info", "call_executed", {
    itemKey,
    tool,
    state: ended ? status : "stale",
    errorClass,
    durationMs,
  });
}
