// Takes the job of a question, which somebody promoted or whose time has come, gives what the signed answers make of it;
// parks it again where they decide nothing: to be promoted is no approval.
import { DONE, type Delivery, type Handled } from "@airlock/core/queue";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { parkMs } from "./ask-people.ts";
import { followAnswers } from "./follow-answers.ts";

export async function onAsk(deps: Deps, { body }: Delivery<"ask">): Promise<Handled> {
  const { itemKey, nonce } = body;
  const open = await followAnswers(deps, itemKey, { why: "promoted", nonce });
  if (open?.nonce !== nonce) return DONE;
  return { kind: "later", delayMs: parkMs(open.expiresAt, await redisNow(deps.redis)) };
}
