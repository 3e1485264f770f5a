import type { RunEvent } from "../contract/index.ts";
import type { ErrorClass } from "../fault/index.ts";
import { itemKey, type ItemParts, type TurnParts } from "../record/index.ts";
import { eventText, runKeys, runScript, type Redis } from "../store/index.ts";
import { fieldText } from "./fields.ts";
import { DROP_EARLY, RELEASE_EARLY } from "./scripts/early-scripts.ts";

/** The validator's writes about calls that run before their response has ended. */
export interface EarlyCalls {
  /** Stores the first grant of a `read` call; false where the attempt doesn't stream any more, or the budget is used up. */
  releaseEarly(
    item: ItemParts,
    release: { readonly fields: Parameters<typeof fieldText>[0]; readonly callLimit: number },
  ): Promise<boolean>;
  /** Item keys of the turn's calls that were granted early and that no response has taken over. */
  earlyCalls(turn: TurnParts): Promise<readonly string[]>;
  /** True the first time. */
  dropEarly(
    item: ItemParts,
    drop: {
      readonly errorClass: ErrorClass;
      readonly ifRun: readonly RunEvent[];
      readonly ifNot: readonly RunEvent[];
    },
  ): Promise<boolean>;
}

const FIELD = "early:";

export function earlyCalls(redis: Redis): EarlyCalls {
  return {
    async releaseEarly(item, { fields, callLimit }) {
      const keys = runKeys(item.run);
      const key = itemKey(item);
      const reply = await runScript(redis, RELEASE_EARLY, {
        keys: [keys.call(key), keys.turn(item.turn), keys.run, keys.attempt(item)],
        args: [key, item.attempt, fieldText(fields), callLimit],
      });
      return reply === 1;
    },
    async earlyCalls({ run, turn }) {
      const fields = await redis.hkeys(runKeys(run).turn(turn));
      return fields.flatMap((field) => (field.startsWith(FIELD) ? [field.slice(FIELD.length)] : []));
    },
    async dropEarly(item, { errorClass, ifRun, ifNot }) {
      const keys = runKeys(item.run);
      const key = itemKey(item);
      const reply = await runScript(redis, DROP_EARLY, {
        keys: [keys.call(key), keys.turn(item.turn), keys.events],
        args: [key, errorClass, eventText(ifRun), eventText(ifNot)],
      });
      return reply === 1;
    },
  };
}
