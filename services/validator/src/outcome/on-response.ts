// Takes the one signed record of how an attempt's response ended, gives what follows: unlocked calls, a fresh attempt,
// a judged artifact or the run's end; records of attempts that are not current change nothing.
import type { ResponseBody } from "@airlock/core/contract";
import { assertNever } from "@airlock/core/fault";
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { itemKey, turnKey } from "@airlock/core/record";
import { readRun, readTurn, type CallHash, type TurnHash } from "@airlock/core/run";
import { ADAPTERS, INDETERMINATE } from "@airlock/core/wire";
import { routeStanding } from "../contract/route-standing.ts";
import type { Deps } from "../deps.ts";
import { advanceTurn } from "../settlement/advance-turn.ts";
import { openNextTurn } from "../settlement/close-turn.ts";
import { dropEarly } from "../settlement/drop-early.ts";
import { logSettledItem } from "../settlement/log-settled.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { judgeItem } from "../verdict/judge-item.ts";
import { endRun } from "./end-run.ts";
import { judgeOutput } from "./judge-output.ts";
import { logResponse, type Followed } from "./log-response.ts";
import { nextStep, type Step } from "./next-step.ts";
import { noteContract } from "./note-contract.ts";
import { publishTurn } from "./publish-turn.ts";
import { stitchOutput } from "./stitch-output.ts";
import { unlockTurn } from "./unlock-turn.ts";

export type JudgedCalls = ReadonlyMap<string, CallHash>;

export async function onResponse(deps: Deps, { body }: Delivery<"response">): Promise<Handled> {
  const [hash, turn] = await Promise.all([
    readRun(deps.redis, body.run),
    readTurn(deps.redis, body.run, body.turn),
  ]);
  if (hash?.plan === undefined || hash.endedAt !== undefined || turn?.attempt !== body.attempt) return DONE;
  const run = { ...hash, plan: hash.plan };
  if (turn.state === "streaming") {
    const calls = await judgeCalls(deps, run, body);
    const read = asRead(deps, run, body);
    await noteContract(deps, run.route, read);
    const step = nextStep(read, run.plan, {
      turn: body.turn,
      continuations: run.continuations,
      maxOutputTokens: turn.maxOutputTokens,
      verified: (await routeStanding(deps, run)) === "verified",
    });
    const { followed, settled } = await follow(deps, { body, run, turn, calls }, step);
    if (followed !== null) {
      logResponse(deps, { body, run, calls }, followed);
      for (const itemKey of settled) await logSettledItem(deps, itemKey);
    }
  }
  await advanceTurn(deps, body);
  return DONE;
}

/**
 * Reports vouch for one version of an adapter: what another version read has no outcome, whatever it says.
 */
function asRead(deps: Deps, run: AdmittedRun, body: ResponseBody): ResponseBody {
  const family = deps.routes.get(run.route)?.family;
  if (family !== undefined && ADAPTERS[family].version === body.adapter) return body;
  return { ...body, outcome: INDETERMINATE, errorClass: "ADAPTER_MISMATCH" };
}

async function judgeCalls(deps: Deps, run: AdmittedRun, body: ResponseBody): Promise<JudgedCalls> {
  const keys = body.items
    .filter(({ kind }) => kind === "tool_call")
    .map(({ ordinal }) => itemKey({ ...body, ordinal }));
  const calls = await Promise.all(keys.map(async (key) => [key, await judgeItem(deps, run, key)] as const));
  return new Map(calls.flatMap(([key, call]) => (call === null ? [] : [[key, call]])));
}

export interface Committed {
  readonly body: ResponseBody;
  readonly run: AdmittedRun;
  readonly turn: TurnHash;
  readonly calls: JudgedCalls;
}

/** Does what the step says; gives what came of it, or null where another handler had been there, and whose way ended. */
async function follow(deps: Deps, committed: Committed, step: Step): ReturnType<typeof unlockTurn> {
  if (step.kind === "unlock") return unlockTurn(deps, committed);
  const { body, calls } = committed;
  await dropEarly(deps, body);
  const settled = [...calls].filter(([, call]) => call.settled !== undefined && call.grant === 0);
  return { followed: await followLocked(deps, committed, step), settled: settled.map(([key]) => key) };
}

/** Every step that lets no call of the response run. */
async function followLocked(
  deps: Deps,
  committed: Committed,
  step: Exclude<Step, { kind: "unlock" }>,
): Promise<Followed | null> {
  const { body, turn } = committed;
  switch (step.kind) {
    case "judge_artifact":
      return judgeOutput(deps, committed);
    case "continue": // the streamer appended the output when it committed it: nothing is added
      await openNextTurn(deps, body, {
        leaves: "streaming",
        pieces: [],
        maxOutputTokens: turn.maxOutputTokens,
        counts: "continuations",
        stitched: false,
      });
      return "continue_turn";
    case "stitch":
      return stitchOutput(deps, committed);
    case "retry": {
      const delayMs = retryDelay(deps, body);
      await deps.store.keepOpen(turnKey(body), deps.config.openMs + delayMs);
      const opened = await deps.store.nextAttempt(body, {
        maxOutputTokens: step.maxOutputTokens,
        events: [{ type: "attempt_opened", turn: body.turn, attempt: body.attempt + 1, reason: step.reason }],
      });
      await publishTurn(deps, body, delayMs);
      return opened ? "retry_attempt" : null;
    }
    case "end":
      await endRun(deps, body, { state: step.state, errorClass: step.errorClass });
      return "end_run";
    default:
      return assertNever(step);
  }
}

const LONGEST_RETRY_MS = 30_000;

/** Doubles with each attempt, spread over its upper half so that many runs don't come back at once; a route that named a time is waited for. */
function retryDelay(deps: Deps, body: ResponseBody): number {
  const full = Math.min(deps.config.retryMs * 2 ** (body.attempt - 1), LONGEST_RETRY_MS);
  return Math.round(Math.max(body.retryAfterMs ?? 0, full * (0.5 + Math.random() / 2)));
}
