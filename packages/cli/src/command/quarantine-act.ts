import { AirlockError, namesOf } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import { ACTION_ANSWERS, limitsSchema, type ActionAnswer, type ACTIONS } from "@airlock/core/run";
import { ANSWER_MS, type Backend } from "../backend/index.ts";
import { plainCell, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { REASON_FLAGS, reasonOf } from "./reason.ts";
import { withBackend } from "./with-backend.ts";

const FLAGS = {
  ...REASON_FLAGS,
  json: JSON_FLAG,
  data: DATA_FLAG,
} as const;

export const quarantineRequeueCommand: Command = {
  summary: "lets a run that ended for a person to look at go on, with a fresh attempt of its turn",
  details:
    "Only where nothing of the turn was unlocked, or all its calls have ended: those stand, and the model is told of each.\n" +
    "The attempt gets new keys, and the run its deadline anew. Other limits hold, if they are not raised.",
  positional: { name: "RUN|ITEM", required: true },
  flags: {
    ...FLAGS,
    raise: { value: "NAME=N", doc: "raises a limit of the run, as a spec names it", multiple: true },
  },
  run: (call, context) =>
    withBackend(call, context, (backend) => act(backend, call, { kind: "requeue", out: context.out })),
};

export const quarantineAbandonCommand: Command = {
  summary: "gives up a run that ended for a person to look at",
  positional: { name: "RUN|ITEM", required: true },
  flags: FLAGS,
  run: (call, context) =>
    withBackend(call, context, (backend) => act(backend, call, { kind: "abandon", out: context.out })),
};

/** Ends with 0 where the action was done, with 1 where it was refused or nobody answered. */
async function act(
  backend: Backend,
  call: CommandCall,
  { kind, out }: { readonly kind: keyof typeof ACTIONS; readonly out: Screen },
): Promise<number> {
  const target = call.positional ?? "";
  const run = target.split(".")[0] ?? "";
  const reason = reasonOf(call);
  const raise = raisesOf(call.list("raise"));
  if (!isRunId(run))
    throw new AirlockError("RUN_NOT_FOUND", `${target}; \`airlock quarantine list\` names them`);
  const { id, answer } = await backend.act({ run, kind, target, reason, raise });
  const done = answer !== null && ACTION_ANSWERS[answer].done;
  const said = await meaningOf(backend, run, answer);
  out.print(
    call.on("json")
      ? JSON.stringify({ id, run, target, kind, done, answer, meaning: said })
      : `${kind} of ${target} ${done ? "done" : "refused"}: ${said}`,
  );
  return done ? 0 : 1;
}

async function meaningOf(backend: Backend, run: string, answer: ActionAnswer | null): Promise<string> {
  if (answer === null) {
    return `no validator answered in ${ANSWER_MS / 1_000} s; the command waits: \`airlock quarantine show ${run}\` will tell`;
  }
  const { meaning } = ACTION_ANSWERS[answer];
  if (answer === "wrong_state") return `${meaning}: it is ${(await backend.run(run)).state}`;
  if (answer !== "lost" && answer !== "not_ended") return meaning;
  const { actions } = await backend.quarantined(run, { raw: false });
  const winner = actions.findLast(({ done }) => done);
  if (winner === undefined) return meaning;
  return `${meaning}: ${plainCell(winner.by)} asked to ${winner.kind} it at ${winner.at} (${plainCell(winner.reason)})`;
}

function raisesOf(texts: readonly string[]): Readonly<Record<string, number>> {
  const known: readonly string[] = namesOf(limitsSchema.shape);
  return Object.fromEntries(
    texts.map((text) => {
      const [name = "", value = "", ...rest] = text.split("=");
      const number = Number(value);
      if (known.includes(name) && Number.isInteger(number) && number > 0 && rest.length === 0)
        return [name, number];
      throw new AirlockError(
        "USAGE",
        `--raise ${text}: it has to be NAME=N, with NAME one of ${known.join(", ")}`,
      );
    }),
  );
}
