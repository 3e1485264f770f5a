import type { RunEvent } from "../contract/index.ts";
import { ownCallKey } from "../record/index.ts";
import { eventText, globalKeys, runKeys, runScript, type Redis } from "../store/index.ts";
import { ACTIONS, actionAnswerSchema, type Action, type ActionAnswer, type RunAction } from "./actions.ts";
import { pieceStart } from "./conversation.ts";
import { budgetText, fieldText } from "./fields.ts";
import { ABANDON, ANSWER, REQUEUE } from "./scripts/action-scripts.ts";

/** About how many actions the audit keeps. */
const AUDIT_KEPT = 100_000;

interface Requeue {
  readonly fields: Parameters<typeof fieldText>[0];
  /** null: the turn's own */
  readonly maxOutputTokens: number | null;
  readonly deadlineMs: number;
  readonly freshAttempt: readonly RunEvent[];
  readonly callsStand: readonly RunEvent[];
}

/** The validator's writes about what was refused, and what people do about it. */
export interface QuarantineWrites {
  /** Puts a run on the list of those with something refused; called before the refusal is written. */
  noteRefused(run: string): Promise<void>;
  requeue(action: RunAction, requeue: Requeue): Promise<ActionAnswer>;
  abandon(action: RunAction, events: readonly RunEvent[]): Promise<ActionAnswer>;
  /** Keeps an answer that took no look at the run, unless the command was answered before. */
  noteAnswer(action: Action, answer: ActionAnswer): Promise<ActionAnswer>;
  /** Appends an answered action; a command that is delivered again may be told of again, under the same id. */
  audit(action: Action, answer: ActionAnswer): Promise<void>;
  /** Takes runs off the lists whose keys are gone; `beforeMs` old at least. */
  forgetGone(beforeMs: number): Promise<void>;
}

export function quarantineWrites(redis: Redis): QuarantineWrites {
  return {
    async noteRefused(run) {
      await redis.zadd(globalKeys.quarantine, Date.now(), run);
    },
    requeue: (action, input) => requeue(redis, action, input),
    async abandon(action, events) {
      const keys = runKeys(action.run);
      const reply = await runScript(redis, ABANDON, {
        keys: [keys.run, keys.events, keys.actions],
        args: [...compared(action), eventText(events)],
      });
      return actionAnswerSchema.parse(reply);
    },
    async noteAnswer(action, answer) {
      const keys = runKeys(action.run);
      const args = [action.id, JSON.stringify(action), answer];
      return actionAnswerSchema.parse(
        await runScript(redis, ANSWER, { keys: [keys.run, keys.actions], args }),
      );
    },
    async audit(action, answer) {
      const text = JSON.stringify({ ...action, answer });
      await redis.xadd(globalKeys.audit, "MAXLEN", "~", AUDIT_KEPT, "*", "action", text);
    },
    forgetGone: (beforeMs) => forgetGone(redis, beforeMs),
  };
}

async function requeue(
  redis: Redis,
  action: RunAction,
  { fields, maxOutputTokens, deadlineMs, freshAttempt, callsStand }: Requeue,
): Promise<ActionAnswer> {
  const keys = runKeys(action.run);
  const { turn, attempt } = action;
  const applies = ownCallKey(action, "apply");
  const reply = await runScript(redis, REQUEUE, {
    keys: [
      keys.run,
      keys.turn(turn),
      keys.events,
      keys.conversation,
      keys.actions,
      keys.partial,
      keys.call(applies),
    ],
    args: [
      ...compared(action),
      turn,
      attempt,
      fieldText(fields),
      budgetText(maxOutputTokens),
      deadlineMs,
      pieceStart(turn, "out"),
      eventText(freshAttempt),
      eventText(callsStand),
      ownCallKey(action, "check"),
      applies,
    ],
  });
  return actionAnswerSchema.parse(reply);
}

function compared(action: RunAction): readonly (string | number)[] {
  return [action.id, action.round, `,${ACTIONS[action.kind].from.join(",")},`, JSON.stringify(action)];
}

const BATCH = 200;

/** Only runs that were admitted longer ago than they are kept after their end can be gone. */
async function forgetGone(redis: Redis, beforeMs: number): Promise<void> {
  for (const index of [globalKeys.runs, globalKeys.quarantine]) {
    const before = Date.now() - beforeMs;
    for (let skip = 0; ;) {
      const old = await redis.zrangebyscore(index, "-inf", before, "LIMIT", skip, BATCH);
      const kept = await Promise.all(old.map((run) => redis.exists(runKeys(run).run, runKeys(run).spec)));
      const gone = old.filter((_, at) => kept[at] === 0);
      if (gone.length > 0) await redis.zrem(index, ...gone);
      if (old.length < BATCH) break;
      skip += old.length - gone.length;
    }
  }
}
