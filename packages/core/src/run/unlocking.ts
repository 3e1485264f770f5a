import { z } from "zod";
import type { AttemptParts } from "../record/index.ts";
import { runKeys, runScript, type Redis } from "../store/index.ts";
import { fieldText } from "./fields.ts";
import { turnFromList } from "./reads.ts";
import type { CallStage, TurnHash } from "./records.ts";
import { UNLOCK } from "./scripts/turn-scripts.ts";

const UNLOCK_ANSWER = z.enum(["unlocked", "stale", "late", "over_calls", "over_mutating"]);

export interface Unlocked {
  readonly answer: z.infer<typeof UNLOCK_ANSWER>;
  /** the calls that were settled already */
  readonly settled: readonly string[];
  /** as it stands then; null where nothing was unlocked */
  readonly turn: TurnHash | null;
}

const unlockReply = z.union([
  z.tuple([z.literal("unlocked"), z.array(z.string()), z.array(z.string())]),
  z.tuple([UNLOCK_ANSWER]),
]);

/** The one write that lets calls run. */
export interface Unlocking {
  unlock(
    attempt: AttemptParts,
    asked: {
      readonly stages: ReadonlyMap<string, CallStage>;
      readonly needs: ReadonlyMap<string, readonly string[]>;
      /** how many the run is charged for, and how many of them may change something */
      readonly calls: number;
      readonly mutatingCalls: number;
      readonly limits: { readonly calls: number; readonly mutatingCalls: number };
      readonly runState: "running" | "awaiting_approval";
      /** `calls` adds to a turn that was unlocked before; left out: `streaming` */
      readonly leaves?: "streaming" | "calls";
    },
  ): Promise<Unlocked>;
}

export function unlocking(redis: Redis): Unlocking {
  return {
    async unlock({ run, turn, attempt }, asked) {
      const { stages, needs, limits, leaves = "streaming" } = asked;
      const keys = runKeys(run);
      const items = [...stages.keys()];
      const fields = Object.fromEntries<string>([
        ...[...stages].map(([item, stage]): [string, string] => [`call:${item}`, stage]),
        ...[...needs].map(([item, others]): [string, string] => [`need:${item}`, JSON.stringify(others)]),
      ]);
      const reply = await runScript(redis, UNLOCK, {
        keys: [keys.turn(turn), keys.run, ...items.map((item) => keys.call(item))],
        args: [
          attempt,
          fieldText(fields),
          asked.calls,
          asked.mutatingCalls,
          limits.calls,
          limits.mutatingCalls,
          asked.runState,
          leaves,
          ...items,
        ],
      });
      const [answer, settled = [], turnFields] = unlockReply.parse(reply);
      return {
        answer,
        settled,
        turn: turnFields === undefined ? null : turnFromList(keys.turn(turn), turnFields),
      };
    },
  };
}
