import { AirlockError, namesOf } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import {
  ACTION_ANSWERS,
  limitsSchema,
  readActions,
  readRun,
  type ActionAnswer,
  type ACTIONS,
} from "@airlock/core/run";
import { awaitAnswer, endOfAudit, sendAction } from "@airlock/operator/order";
import { type Session } from "../session/index.ts";
import { assertSubmitted } from "@airlock/operator/document";
import { plainCell, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { actingAs, REASON_FLAGS, reasonOf } from "./reason.ts";
import { withSession } from "./with-session.ts";

const ANSWER_MS = 30_000;

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
    withSession(call, context, (session) => act(session, call, { kind: "requeue", out: context.out })),
};

export const quarantineAbandonCommand: Command = {
  summary: "gives up a run that ended for a person to look at",
  positional: { name: "RUN|ITEM", required: true },
  flags: FLAGS,
  run: (call, context) =>
    withSession(call, context, (session) => act(session, call, { kind: "abandon", out: context.out })),
};

/** Ends with 0 where the action was done, with 1 where it was refused or nobody answered. */
async function act(
  session: Session,
  call: CommandCall,
  { kind, out }: { readonly kind: keyof typeof ACTIONS; readonly out: Screen },
): Promise<number> {
  const target = call.positional ?? "";
  const run = target.split(".")[0] ?? "";
  const reason = reasonOf(call);
  const raise = raisesOf(call.list("raise"));
  if (!isRunId(run))
    throw new AirlockError("RUN_NOT_FOUND", `${target}; \`airlock quarantine list\` names them`);
  await assertSubmitted(session.redis, run);
  const round = (await readRun(session.redis, run))?.requeues ?? 0;
  const after = await endOfAudit(session.redis);
  const id = await sendAction(actingAs(call, session), { run, kind, target, round, reason, raise });
  const answer = await awaitAnswer(session.redis, { id, after, timeoutMs: ANSWER_MS });
  const done = answer !== null && ACTION_ANSWERS[answer].done;
  const said = await meaningOf(session, run, answer);
  out.print(
    call.on("json")
      ? JSON.stringify({ id, run, target, kind, done, answer, meaning: said })
      : `${kind} of ${target} ${done ? "done" : "refused"}: ${said}`,
  );
  return done ? 0 : 1;
}

async function meaningOf(session: Session, run: string, answer: ActionAnswer | null): Promise<string> {
  if (answer === null) {
    return `no validator answered in ${ANSWER_MS / 1_000} s; the command waits: \`airlock quarantine show ${run}\` will tell`;
  }
  const { meaning } = ACTION_ANSWERS[answer];
  if (answer === "wrong_state")
    return `${meaning}: it is ${(await readRun(session.redis, run))?.state ?? "gone"}`;
  if (answer !== "lost" && answer !== "not_ended") return meaning;
  const winner = (await readActions(session.redis, run)).findLast(
    (action) => ACTION_ANSWERS[action.answer].done,
  );
  if (winner === undefined) return meaning;
  const at = new Date(winner.at).toISOString();
  return `${meaning}: ${plainCell(winner.by)} asked to ${winner.kind} it at ${at} (${plainCell(winner.reason)})`;
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
