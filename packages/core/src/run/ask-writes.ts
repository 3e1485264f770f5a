import type { RunEvent } from "../contract/index.ts";
import { AirlockError } from "../fault/index.ts";
import { parseItemKey } from "../record/index.ts";
import { eventText, runKeys, runScript, type Redis } from "../store/index.ts";
import { fieldText } from "./fields.ts";
import { once } from "./once.ts";
import {
  APPROVE,
  ASK,
  ASK_AGAIN,
  PARKED,
  RESUME,
  TELL_WAITING,
  VOID_QUESTION,
} from "./scripts/ask-scripts.ts";

interface Written {
  readonly fields: Parameters<typeof fieldText>[0];
  readonly events: readonly RunEvent[];
}

/** What the validator writes of a call that waits for people; each compares the question's nonce before it writes. */
export interface AskWrites {
  /** The question, once: only while there were this many. */
  ask(itemKey: string, asked: Written & { readonly lastRequest: number }): Promise<boolean>;
  noteParked(itemKey: string, nonce: string): Promise<boolean>;
  approve(
    itemKey: string,
    approved: Written & { readonly nonce: string; readonly expiresAt: number },
  ): Promise<boolean>;
  /** `fields` hold the state that the call has from then on. */
  voidQuestion(itemKey: string, voided: Written & { readonly nonce: string }): Promise<boolean>;
  /** Has an approved call wait for people instead: only if that grant is still its own. */
  askAgain(itemKey: string, grant: number, asked: Written): Promise<boolean>;
  tellWaiting(itemKey: string, nonce: string, events: readonly RunEvent[]): Promise<boolean>;
  /** A run of which no call waits any more is told to be running. */
  resume(itemKey: string): Promise<void>;
}

export function askWrites(redis: Redis): AskWrites {
  return {
    async ask(itemKey, { lastRequest, fields, events }) {
      const { call, run, events: log } = placeOf(itemKey);
      const args = [lastRequest, fieldText(fields), eventText(events)];
      return once(redis, ASK, { keys: [call, run, log], args });
    },
    async noteParked(itemKey, nonce) {
      const { call, run } = placeOf(itemKey);
      return once(redis, PARKED, { keys: [call, run], args: [nonce] });
    },
    async approve(itemKey, { nonce, expiresAt, fields, events }) {
      const { call, run, turn, events: log } = placeOf(itemKey);
      const args = [nonce, expiresAt, fieldText(fields), eventText(events)];
      return once(redis, APPROVE, { keys: [call, run, turn, log], args });
    },
    async voidQuestion(itemKey, { nonce, fields, events }) {
      const { call, run, turn, events: log } = placeOf(itemKey);
      const args = [nonce, fieldText(fields), eventText(events)];
      return once(redis, VOID_QUESTION, { keys: [call, run, turn, log], args });
    },
    async askAgain(itemKey, grant, { fields, events }) {
      const { call, run, turn, events: log } = placeOf(itemKey);
      const args = [itemKey, grant, fieldText(fields), eventText(events)];
      return once(redis, ASK_AGAIN, { keys: [call, turn, run, log], args });
    },
    async tellWaiting(itemKey, nonce, events) {
      const { call, run, events: log } = placeOf(itemKey);
      return once(redis, TELL_WAITING, { keys: [call, run, log], args: [nonce, eventText(events)] });
    },
    async resume(itemKey) {
      const { run, turn } = placeOf(itemKey);
      await runScript(redis, RESUME, { keys: [run, turn], args: [] });
    },
  };
}

function placeOf(itemKey: string) {
  const parts = parseItemKey(itemKey);
  if (parts === null) throw new AirlockError("RECORD_INVALID", "an item key is malformed");
  const keys = runKeys(parts.run);
  return { call: keys.call(itemKey), run: keys.run, turn: keys.turn(parts.turn), events: keys.events };
}
