// Takes the one signed record of how an attempt's response ended, gives what follows: unlocked calls, a fresh attempt,
// a judged artifact or the run's end; records of attempts that are not current change nothing.
import type { ResponseBody } from "@airlock/core/contract";
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { itemKey } from "@airlock/core/record";
import { readTurn, type TurnHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import { isNormalEnd } from "@airlock/core/wire";
import { routeStanding } from "../contract/route-standing.ts";
import type { Deps } from "../deps.ts";
import { admittedRun } from "../release/admitted-run.ts";
import { advanceTurn } from "../settlement/advance-turn.ts";
import { logSettledItem } from "../settlement/log-settled.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { judgeItem } from "../verdict/judge-item.ts";
import { asRead } from "./as-read.ts";
import type { JudgedCalls } from "./committed.ts";
import { followStep } from "./follow-step.ts";
import { logResponse } from "./log-response.ts";
import { nextStep } from "./next-step.ts";
import { noteContract } from "./note-contract.ts";
import { outputCharge } from "./output-charge.ts";
import { spentBudget } from "./spent-budget.ts";
import { stepWithTools } from "./tool-drift.ts";

export async function onResponse(deps: Deps, { body }: Delivery<"response">): Promise<Handled> {
  const [admitted, turn] = await Promise.all([
    admittedRun(deps, body.run),
    readTurn(deps.redis, body.run, body.turn),
  ]);
  if (admitted === null || admitted.endedAt !== undefined || turn?.attempt !== body.attempt) return DONE;
  if (turn.state === "streaming") {
    const read = asRead(deps, admitted, body);
    // none of them looks at what another one writes, and all are there before anything follows
    const [outputTokens, calls] = await Promise.all([
      charge(deps, admitted, { body, turn }),
      judgeCalls(deps, admitted, body),
      noteContract(deps, admitted.route, read),
      isNormalEnd(read.outcome) ? null : deps.store.noteRefused(body.run),
    ]);
    const run = { ...admitted, outputTokens };
    const next = nextStep(
      read,
      { ...run.plan, limits: run.limits },
      {
        turn: body.turn,
        continuations: run.continuations,
        maxOutputTokens: turn.maxOutputTokens,
        verified: (await routeStanding(deps, run)) === "verified",
        spent: spentBudget(run, await redisNow(deps.redis)),
      },
    );
    const step = stepWithTools(next, deps.catalog, run.plan);
    const { followed, settled, unlocked } = await followStep(deps, { body, run, turn, calls }, step);
    if (followed !== null) {
      logResponse(deps, { body, run, calls }, followed);
      for (const itemKey of settled) await logSettledItem(deps, itemKey, { route: run.route });
    }
    await advanceTurn(deps, body, unlocked === null ? {} : { admitted: run, turn: unlocked, calls });
    return DONE;
  }
  await advanceTurn(deps, body);
  return DONE;
}

/** The run's output tokens, with the attempt's on its account. */
async function charge(
  deps: Deps,
  run: AdmittedRun,
  { body, turn }: { readonly body: ResponseBody; readonly turn: TurnHash },
): Promise<number> {
  const output = outputCharge(body, turn.maxOutputTokens);
  const first = await deps.store.chargeOutput(body, output);
  return run.outputTokens + (first ? output.tokens : 0);
}

async function judgeCalls(deps: Deps, run: AdmittedRun, body: ResponseBody): Promise<JudgedCalls> {
  const asks = body.outcome.action === "approve";
  const keys = body.items
    .filter(({ kind }) => kind === "tool_call" || (kind === "approval_request" && asks))
    .map(({ ordinal }) => itemKey({ ...body, ordinal }));
  const calls = await Promise.all(keys.map(async (key) => [key, await judgeItem(deps, run, key)] as const));
  return new Map(calls.flatMap(([key, call]) => (call === null ? [] : [[key, call]])));
}
