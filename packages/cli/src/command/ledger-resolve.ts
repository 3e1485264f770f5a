import type { FINDINGS } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { ACTION_ANSWERS, type ActionAnswer } from "@airlock/core/run";
import { ANSWER_MS, type Backend } from "../backend/index.ts";
import { plainCell, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { REASON_FLAGS, reasonOf } from "./reason.ts";
import { withBackend } from "./with-backend.ts";

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
  run: (call, context) => withBackend(call, context, (backend) => resolve(backend, call, context.out)),
};

/** Ends with 0 where the call counts as was found, with 1 where that was refused or nobody answered. */
async function resolve(backend: Backend, call: CommandCall, out: Screen): Promise<number> {
  const target = call.positional ?? "";
  const [finding, reason] = [findingOf(call), reasonOf(call)];
  const { id, answer } = await backend.resolve({ target, finding, reason });
  const run = target.split(".")[0] ?? "";
  const done = answer !== null && ACTION_ANSWERS[answer].done;
  const meaning = await meaningOf(backend, target, answer);
  out.print(
    call.on("json")
      ? JSON.stringify({ id, run, target, finding, done, answer, meaning })
      : `${target} ${done ? `resolved as ${finding}` : "not resolved"}: ${meaning}`,
  );
  return done ? 0 : 1;
}

async function meaningOf(backend: Backend, target: string, answer: ActionAnswer | null): Promise<string> {
  if (answer === null) {
    return `nobody answered in ${ANSWER_MS / 1_000} s; the finding waits for an executor: \`airlock ledger show ${target}\` will tell`;
  }
  const { meaning } = ACTION_ANSWERS[answer];
  const { resolution } = await backend.ledger(target, { raw: false });
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
