// Takes a committed response and the step that follows it, gives what came of that step;
// whatever is not an unlock drops what ran early and lets no call of the response run.
import type { ResponseBody } from "@airlock/core/contract";
import { assertNever } from "@airlock/core/fault";
import { turnKey } from "@airlock/core/record";
import type { Deps } from "../deps.ts";
import { openNextTurn } from "../settlement/open-next-turn.ts";
import { dropEarly } from "../settlement/drop-early.ts";
import type { Committed } from "./committed.ts";
import { endRun } from "./end-run.ts";
import { judgeOutput } from "./judge-output.ts";
import type { Followed } from "./log-response.ts";
import type { Step } from "./next-step.ts";
import { publishTurn } from "./publish-turn.ts";
import { stitchOutput } from "./stitch-output.ts";
import { unlockTurn } from "./unlock-turn.ts";

/** Does what the step says; gives what came of it, or null where another handler had been there, and whose way ended. */
export async function followStep(
  deps: Deps,
  committed: Committed,
  step: Step,
): ReturnType<typeof unlockTurn> {
  if (step.kind === "unlock") return unlockTurn(deps, committed);
  const { body, calls } = committed;
  await dropEarly(deps, body);
  const settled = [...calls].filter(([, call]) => call.settled !== undefined && call.grant === 0);
  const followed = await followLocked(deps, committed, step);
  return { followed, settled: settled.map(([key]) => key), unlocked: null };
}

/** Every step that lets no call of the response run. */
async function followLocked(
  deps: Deps,
  committed: Committed,
  step: Exclude<Step, { kind: "unlock" }>,
): Promise<Followed | null> {
  const { body, run, turn } = committed;
  switch (step.kind) {
    case "judge_artifact":
      return judgeOutput(deps, committed);
    case "continue": // the streamer appended the output when it committed it: nothing is added
      await openNextTurn(
        deps,
        { run, turn: body },
        {
          leaves: "streaming",
          pieces: [],
          maxOutputTokens: turn.maxOutputTokens,
          counts: "continuations",
          stitched: true,
        },
      );
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
      await endRun(deps, body, step);
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
