import { AirlockError } from "@airlock/core/fault";
import type { TurnParts } from "@airlock/core/record";
import { readTurn } from "@airlock/core/run";
import { errorFields } from "@airlock/core/runtime";
import type { Deps } from "../deps.ts";
import { responseOf, stitchedText } from "./output-text.ts";

/** The last text that a run's model gave, whatever became of its response; empty where it gave none. */
export async function lastText(deps: Deps, { run, turn }: TurnParts): Promise<string> {
  try {
    for (let number = turn; number >= 1; number -= 1) {
      const text = await textOfTurn(deps, { run, turn: number });
      if (text !== "") return text;
    }
    return "";
  } catch (error) {
    // a record that was tampered with must not keep its run from ending
    if (!(error instanceof AirlockError) || error.retry !== "never") throw error;
    deps.log.write("warn", "record_refused", { run, turn, ...errorFields(error) });
    return "";
  }
}

async function textOfTurn(deps: Deps, parts: TurnParts): Promise<string> {
  const last = (await readTurn(deps.redis, parts.run, parts.turn))?.attempt ?? 0;
  for (let attempt = last; attempt >= 1; attempt -= 1) {
    const body = await responseOf(deps, { ...parts, attempt });
    const text = body === null ? "" : await stitchedText(deps, body);
    if (text.trim() !== "") return text;
  }
  return "";
}
