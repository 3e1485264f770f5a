import { z } from "zod";
import type { RunEvent } from "../contract/index.ts";
import type { AttemptParts } from "../record/index.ts";
import { eventText, runKeys, runScript, type Redis } from "../store/index.ts";
import { fieldText } from "./fields.ts";
import { BEGIN_ATTEMPT, COMMIT_ATTEMPT, STORE_EARLY_ITEM } from "./scripts/attempt-scripts.ts";

/** `begun` by another streamer means that it may be lost; `stale` that another attempt is current or the run ended. */
export type BeginAttemptAnswer = "begin" | "begun" | "committed" | "stale";

export interface AttemptCommit {
  /** the streamer that began it, or null to commit an attempt whose streamer is lost */
  readonly owner: string | null;
  readonly fields: Readonly<Record<string, string | null>>;
  /** sealed conversation pieces */
  readonly pieces: readonly string[];
  readonly items: readonly {
    readonly itemKey: string;
    readonly record: string;
    readonly content: string | null;
  }[];
  readonly events: readonly RunEvent[];
}

export interface EarlyItem {
  readonly owner: string;
  readonly itemKey: string;
  readonly record: string;
  readonly content: string;
  readonly events: readonly RunEvent[];
}

/** The streamer's writes. */
export interface StreamerStore {
  begin(attempt: AttemptParts, owner: string): Promise<BeginAttemptAnswer>;
  /** Stores an item's record while its attempt still streams; false where the attempt is not this owner's any more. */
  storeEarly(attempt: AttemptParts, item: EarlyItem): Promise<boolean>;
  commit(attempt: AttemptParts, commit: AttemptCommit): Promise<"committed" | "already" | "stale">;
}

export function createStreamerStore(redis: Redis): StreamerStore {
  return {
    async begin(parts, owner) {
      const keys = runKeys(parts.run);
      const { turn, attempt } = parts;
      const reply = await runScript(redis, BEGIN_ATTEMPT, {
        keys: [keys.attempt(parts), keys.turn(turn), keys.run, keys.events],
        args: [owner, attempt, eventText([{ type: "attempt_begun", turn, attempt }])],
      });
      return z.enum(["begin", "begun", "committed", "stale"]).parse(reply);
    },
    async storeEarly(parts, { owner, itemKey, record, content, events }) {
      const keys = runKeys(parts.run);
      const reply = await runScript(redis, STORE_EARLY_ITEM, {
        keys: [keys.attempt(parts), keys.turn(parts.turn), keys.run, keys.events, keys.item(itemKey)],
        args: [owner, parts.attempt, record, content, eventText(events)],
      });
      return reply === 1;
    },
    async commit(parts, { owner, fields, pieces, items, events }) {
      const keys = runKeys(parts.run);
      const reply = await runScript(redis, COMMIT_ATTEMPT, {
        keys: [
          keys.attempt(parts),
          keys.turn(parts.turn),
          keys.run,
          keys.conversation,
          keys.events,
          ...items.map((item) => keys.item(item.itemKey)),
        ],
        args: [
          owner ?? "",
          parts.attempt,
          fieldText(fields),
          JSON.stringify(pieces),
          eventText(events),
          ...items.flatMap((item) => [item.record, item.content ?? ""]),
        ],
      });
      return z.enum(["committed", "already", "stale"]).parse(reply);
    },
  };
}
