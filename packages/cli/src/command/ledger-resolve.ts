import type { FINDINGS } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import { ACTION_ANSWERS, type ActionAnswer } from "@airlock/core/run";
import { awaitAnswer, endOfAudit, sendResolution } from "@airlock/operator/order";
import { type Session } from "../session/index.ts";
import { readLedger } from "@airlock/operator/document";
import { plainCell, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { actingAs, REASON_FLAGS, reasonOf } from "./reason.ts";
import { withSession } from "./with-session.ts";

const ANSWER_MS = 30_000;

export const ledgerResolveCommand: Command = {
  summary: "says what became of a call whose end nobody saw, after a person has looked",
  details:
    "The run was told that the outcome is unknown, and that stands. What a person found out is kept with the call, and calls\n" +
    "with effects run on its workspace again, if no other one is unknown.",
  positional: { name: "ITEM", required: true },
  flags: {
    done: { value: null, doc: "it had its effect" },
    "not-done": { value: null, doc: "it had none" },
    ...REASON_FLAGS,
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  run: (call, context) => withSession(call, context, (session) => resolve(session, call, context.out)),
};

/** Ends with 0 where the call counts as was found, with 1 where that was refused or nobody answered. */
async function resolve(session: Session, call: CommandCall, out: Screen): Promise<number> {
  const target = call.positional ?? "";
  const [finding, reason] = [findingOf(call), reasonOf(call)];
  const { itemKey } = await readLedger(session, target, { raw: false });
  const run = parseItemKey(itemKey)?.run ?? "";
  const after = await endOfAudit(session.redis);
  const id = await sendResolution(actingAs(call, session), { run, target, finding, reason });
  const answer = await awaitAnswer(session.redis, { id, after, timeoutMs: ANSWER_MS });
  const done = answer !== null && ACTION_ANSWERS[answer].done;
  const meaning = await meaningOf(session, target, answer);
  out.print(
    call.on("json")
      ? JSON.stringify({ id, run, target, finding, done, answer, meaning })
      : `${target} ${done ? `resolved as ${finding}` : "not resolved"}: ${meaning}`,
  );
  return done ? 0 : 1;
}

async function meaningOf(session: Session, target: string, answer: ActionAnswer | null): Promise<string> {
  if (answer === null) {
    return `nobody answered in ${ANSWER_MS / 1_000} s; the finding waits for an executor: \`airlock ledger show ${target}\` will tell`;
  }
  const { meaning } = ACTION_ANSWERS[answer];
  const { resolution } = await readLedger(session, target, { raw: false });
  if (answer !== "resolved_before" || resolution === null) return meaning;
  const { by, finding, reason } = resolution;
  return `${meaning}: ${plainCell(by)} found it ${finding} (${plainCell(reason)})`;
}

function findingOf(call: CommandCall): (typeof FINDINGS)[number] {
  if (call.on("done") === call.on("not-done")) {
    throw new AirlockError("USAGE", "say what was found: either --done or --not-done");
  }
  return call.on("done") ? "executed" : "not_executed";
}
