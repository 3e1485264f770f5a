import { z } from "zod";
import type { RunEvent } from "../contract/index.ts";
import { AirlockError } from "../fault/index.ts";
import { parseItemKey } from "../record/index.ts";
import { eventText, runKeys, runScript, type Redis } from "../store/index.ts";
import { fieldText } from "./fields.ts";
import { once } from "./once.ts";
import { turnFromList } from "./reads.ts";
import type { TurnHash } from "./records.ts";
import { DECIDE, RELEASE, SETTLE } from "./scripts/call-scripts.ts";

type Fields = Parameters<typeof fieldText>[0];

export interface Settlement {
  /** false where the call had been settled before, or granted meanwhile */
  readonly first: boolean;
  readonly turn: TurnHash;
}

/** What the validator writes of one call: its decision, its grants, its one outcome. */
export interface CallWrites {
  decide(itemKey: string, fields: Fields, events: readonly RunEvent[]): Promise<boolean>;
  /** The same for a call that the validator makes itself, with its sealed arguments. */
  decideOwn(
    itemKey: string,
    fields: Fields,
    own: { readonly sealedArguments: string; readonly events: readonly RunEvent[] },
  ): Promise<boolean>;
  release(itemKey: string, lastGrant: number, fields: Fields): Promise<boolean>;
  settle(
    itemKey: string,
    settlement: {
      readonly fields: Fields;
      readonly events: readonly RunEvent[];
      /** settles only while this is the call's grant: what was granted meanwhile may run; null for any */
      readonly ifGrant: number | null;
    },
  ): Promise<Settlement>;
}

export function callWrites(redis: Redis): CallWrites {
  const decideOwn: CallWrites["decideOwn"] = async (itemKey, fields, { sealedArguments, events }) => {
    const { keys } = placeOf(itemKey);
    return once(redis, DECIDE, {
      keys: [keys.call(itemKey), keys.events, keys.run, keys.content(itemKey), keys.arguments(itemKey)],
      args: [fieldText(fields), eventText(events), sealedArguments],
    });
  };
  return {
    decide: (itemKey, fields, events) => decideOwn(itemKey, fields, { sealedArguments: "", events }),
    decideOwn,
    async release(itemKey, lastGrant, fields) {
      const { keys, turn } = placeOf(itemKey);
      return once(redis, RELEASE, {
        keys: [keys.call(itemKey), keys.turn(turn), keys.run],
        args: [itemKey, lastGrant, fieldText(fields)],
      });
    },
    async settle(itemKey, { fields, events, ifGrant }) {
      const { keys, turn } = placeOf(itemKey);
      const reply = await runScript(redis, SETTLE, {
        keys: [
          keys.call(itemKey),
          keys.turn(turn),
          keys.events,
          keys.run,
          keys.content(itemKey),
          keys.arguments(itemKey),
        ],
        args: [itemKey, fieldText(fields), eventText(events), ifGrant ?? ""],
      });
      const [first, ...turnFields] = z.tuple([z.number()], z.string()).parse(reply);
      return { first: first === 1, turn: turnFromList(keys.turn(turn), turnFields) };
    },
  };
}

function placeOf(itemKey: string): { readonly keys: ReturnType<typeof runKeys>; readonly turn: number } {
  const parts = parseItemKey(itemKey);
  if (parts === null) throw new AirlockError("RECORD_INVALID", "an item key is malformed");
  return { keys: runKeys(parts.run), turn: parts.turn };
}
