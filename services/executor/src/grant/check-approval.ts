// Takes a grant that rests on people's approval, gives null where their signed answers, read and judged here, carry it;
// refuses it otherwise, whatever the validator found.
import { judgeAnswers, readAnswers } from "@airlock/core/approval";
import type { ExecutionBody } from "@airlock/core/contract";
import type { Deps } from "../deps.ts";
import type { CallRefusal } from "./open-call.ts";

/** A call that may repeat an effect does so only where people have said so. */
export async function checkApproval(
  { redis, keyring }: Pick<Deps, "redis" | "keyring">,
  grant: ExecutionBody,
): Promise<CallRefusal | null> {
  const { approval, repeats, run, itemKey, argumentsDigest, policyDigest } = grant;
  if (approval === undefined) return repeats === undefined ? null : refused("it repeats an effect unasked");
  const ask = { run, itemKey, argumentsDigest, policyDigest, ...approval };
  const records = await readAnswers(redis, itemKey, run);
  const judged = judgeAnswers({ ask, records, keyring });
  return judged.kind === "approved" ? null : refused(`the stored answers leave it ${judged.kind}`);
}

function refused(detail: string): CallRefusal {
  return { ok: false, errorClass: "APPROVAL_INVALID", detail };
}
