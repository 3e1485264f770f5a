import type { RunEvent } from "../contract/index.ts";
import type { AttemptParts, TurnParts } from "../record/index.ts";
import { eventText, runKeys, type Redis } from "../store/index.ts";
import { pieceStart } from "./conversation.ts";
import { askWrites, type AskWrites } from "./ask-writes.ts";
import { callWrites, type CallWrites } from "./call-writes.ts";
import { earlyCalls, type EarlyCalls } from "./early-calls.ts";
import { budgetText, fieldText } from "./fields.ts";
import { ADMIT, CANCEL, CHARGE_OUTPUT, END_RUN } from "./scripts/run-scripts.ts";
import { NEXT_ATTEMPT, NEXT_TURN, PARK_ATTEMPT } from "./scripts/turn-scripts.ts";
import { once } from "./once.ts";
import { openTurns, type OpenTurns } from "./open-turns.ts";
import { quarantineWrites, type QuarantineWrites } from "./quarantine-writes.ts";
import type { FinalRunState } from "./states.ts";
import { unlocking, type Unlocking } from "./unlocking.ts";

type Fields = Parameters<typeof fieldText>[0];

/** The validator's writes: each is one script that compares before it sets, so that a repeated message changes nothing. */
export interface ValidatorStore
  extends AskWrites, CallWrites, EarlyCalls, OpenTurns, QuarantineWrites, Unlocking {
  admit(
    run: string,
    admission: {
      readonly fields: Fields;
      readonly pieces: readonly string[];
      readonly maxOutputTokens: number | null;
      readonly deadlineMs: number;
      readonly refused: boolean;
      readonly events: readonly RunEvent[];
    },
  ): Promise<boolean>;
  nextAttempt(
    failed: AttemptParts,
    next: { readonly maxOutputTokens: number | null; readonly events: readonly RunEvent[] },
  ): Promise<boolean>;
  /** Notes that the attempt is held back; true the first time. */
  park(attempt: AttemptParts, events: readonly RunEvent[]): Promise<boolean>;
  nextTurn(
    closed: AttemptParts,
    next: {
      readonly leaves: "calls" | "streaming";
      readonly pieces: readonly string[];
      readonly maxOutputTokens: number | null;
      /** what the next turn counts as; null where calls or their results led to it */
      readonly counts: "corrections" | "continuations" | null;
      /** whether its output goes on where this turn's was cut */
      readonly stitched: boolean;
      /** why this turn's output is not taken */
      readonly refusal?: string | undefined;
      readonly events: readonly RunEvent[];
    },
  ): Promise<boolean>;
  endRun(
    turn: TurnParts,
    ending: {
      readonly state: FinalRunState;
      readonly fields: Fields;
      readonly refused?: RefusedOutput | undefined;
      /** the sealed last text of a run that ended short; left out: none */
      readonly partial?: string;
      readonly events: readonly RunEvent[];
    },
  ): Promise<boolean>;
  /** Charges the run for an attempt's output, once; `reported`: whether its route told the number. */
  chargeOutput(
    attempt: AttemptParts,
    output: { readonly tokens: number; readonly reported: boolean },
  ): Promise<boolean>;
  cancel(run: string, events: readonly RunEvent[]): Promise<boolean>;
}

/** Why the output of an attempt is not taken, without any of it. */
export interface RefusedOutput {
  readonly attempt: number;
  readonly reason: string;
}

function refusalText(refused: RefusedOutput | undefined): string {
  return fieldText(refused === undefined ? {} : { [`refused:${refused.attempt}`]: refused.reason });
}

/** `keepMs`: how long a run is kept after its end. */
export function createValidatorStore(redis: Redis, { keepMs }: { readonly keepMs: number }): ValidatorStore {
  return {
    ...runWrites(redis, keepMs),
    ...quarantineWrites(redis),
    ...attemptWrites(redis),
    ...turnWrites(redis),
    ...askWrites(redis),
    ...callWrites(redis),
    ...earlyCalls(redis),
    ...unlocking(redis),
    ...openTurns(redis),
  };
}

function runWrites(
  redis: Redis,
  keepMs: number,
): Pick<ValidatorStore, "admit" | "endRun" | "cancel" | "chargeOutput"> {
  return {
    async admit(run, { fields, pieces, maxOutputTokens, deadlineMs, refused, events }) {
      const keys = runKeys(run);
      return once(redis, ADMIT, {
        keys: [keys.run, keys.turn(1), keys.conversation, keys.events, keys.spec],
        args: [
          fieldText(fields),
          JSON.stringify(pieces),
          budgetText(maxOutputTokens),
          deadlineMs,
          eventText(events),
          refused ? "ended" : "open",
          keepMs,
        ],
      });
    },
    async endRun({ run, turn }, { state, fields, partial = "", refused, events }) {
      const keys = runKeys(run);
      return once(redis, END_RUN, {
        keys: [keys.run, keys.turn(turn), keys.events, keys.partial],
        args: [fieldText({ ...fields, state }), eventText(events), keepMs, partial, refusalText(refused)],
      });
    },
    async chargeOutput({ run, turn, attempt }, { tokens, reported }) {
      const keys = runKeys(run);
      return once(redis, CHARGE_OUTPUT, {
        keys: [keys.turn(turn), keys.run],
        args: [attempt, tokens, reported ? "1" : ""],
      });
    },
    async cancel(run, events) {
      const keys = runKeys(run);
      return once(redis, CANCEL, { keys: [keys.run, keys.events], args: [eventText(events)] });
    },
  };
}

function attemptWrites(redis: Redis): Pick<ValidatorStore, "nextAttempt" | "park"> {
  return {
    async nextAttempt({ run, turn, attempt }, { maxOutputTokens, events }) {
      const keys = runKeys(run);
      return once(redis, NEXT_ATTEMPT, {
        keys: [keys.turn(turn), keys.run, keys.events, keys.conversation],
        args: [attempt, budgetText(maxOutputTokens), eventText(events), pieceStart(turn, "out")],
      });
    },
    async park({ run, turn, attempt }, events) {
      const keys = runKeys(run);
      return once(redis, PARK_ATTEMPT, {
        keys: [keys.turn(turn), keys.run, keys.events],
        args: [attempt, eventText(events)],
      });
    },
  };
}

function turnWrites(redis: Redis): Pick<ValidatorStore, "nextTurn"> {
  return {
    async nextTurn({ run, turn, attempt }, next) {
      const { leaves, pieces, maxOutputTokens, counts, stitched, refusal, events } = next;
      const refused = refusal === undefined ? undefined : { attempt, reason: refusal };
      const keys = runKeys(run);
      return once(redis, NEXT_TURN, {
        keys: [keys.turn(turn), keys.turn(turn + 1), keys.run, keys.conversation, keys.events],
        args: [
          leaves,
          attempt,
          JSON.stringify(pieces),
          turn + 1,
          budgetText(maxOutputTokens),
          counts ?? "",
          eventText(events),
          stitched ? "1" : "",
          refusalText(refused),
        ],
      });
    },
  };
}
