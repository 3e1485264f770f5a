// Takes a text that was cut, gives the next turn, whose request ends with that text, so that the response is its rest;
// task-level validation sees both as one output.
import { attemptKey } from "@airlock/core/record";
import { sealPiece } from "@airlock/core/run";
import type { ConversationEntry } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import { openNextTurn } from "../settlement/open-next-turn.ts";
import type { Followed } from "./log-response.ts";
import type { Committed } from "./committed.ts";
import { keptText, outputText } from "./output-text.ts";

export async function stitchOutput(deps: Deps, { body, run, turn }: Committed): Promise<Followed> {
  const text = keptText(await outputText(deps, body));
  const output: ConversationEntry = {
    type: "model_output",
    family: "anthropic", // admission lets no other family come here
    attempt: attemptKey(body),
    items: [{ type: "text", text }],
  };
  await openNextTurn(
    deps,
    { run, turn: body },
    {
      leaves: "streaming",
      pieces: [sealPiece(deps.keyring, { run: body.run, turn: body.turn, phase: "results" }, [output])],
      maxOutputTokens: turn.maxOutputTokens,
      counts: "continuations",
      stitched: true,
    },
  );
  return "continue_turn";
}
