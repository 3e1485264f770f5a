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
  /** sealed bytes of a response that did not end well */
  readonly raw?: string | null;
  readonly items: readonly {
    readonly itemKey: string;
    readonly record: string;
    /** sealed; null for none, and for one that is stored already */
    readonly content: string | null;
    /** its content goes when the run's retention says so */
    readonly aside?: boolean;
  }[];
  readonly events: readonly RunEvent[];
}

export interface EarlyItem {
  readonly owner: string;
  readonly itemKey: string;
  readonly record: string;
  readonly content: string;
  /** how many items the attempt has so far */
  readonly items: number;
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
    async storeEarly(parts, { owner, itemKey, record, content, items, events }) {
      const keys = runKeys(parts.run);
      const reply = await runScript(redis, STORE_EARLY_ITEM, {
        keys: [
          keys.attempt(parts),
          keys.turn(parts.turn),
          keys.run,
          keys.events,
          keys.item(itemKey),
          keys.content(itemKey),
        ],
        args: [owner, parts.attempt, record, content, eventText(events), items],
      });
      return reply === 1;
    },
    commit: (parts, input) => commit(redis, parts, input),
  };
}

async function commit(
  redis: Redis,
  parts: AttemptParts,
  { owner, fields, pieces, raw = null, items, events }: AttemptCommit,
): ReturnType<StreamerStore["commit"]> {
  const keys = runKeys(parts.run);
  const reply = await runScript(redis, COMMIT_ATTEMPT, {
    keys: [
      keys.attempt(parts),
      keys.turn(parts.turn),
      keys.run,
      keys.conversation,
      keys.events,
      keys.raw(parts),
      ...items.flatMap(({ itemKey }) => [keys.item(itemKey), keys.content(itemKey)]),
    ],
    args: [
      owner ?? "",
      parts.attempt,
      fieldText(fields),
      JSON.stringify(pieces),
      eventText(events),
      raw ?? "",
      ...items.flatMap(({ record, content, aside }) => [record, content ?? "", aside === true ? "1" : ""]),
    ],
  });
  return z.enum(["committed", "already", "stale"]).parse(reply);
}
