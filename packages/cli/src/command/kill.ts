import { KILL_SCOPES, killTargetSchema } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { ANSWER_MS, type Backend } from "../backend/index.ts";
import { killListText, plainCell, type Screen } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command, type CommandCall } from "./command.ts";
import { REASON_FLAGS, reasonOf } from "./reason.ts";
import { withBackend } from "./with-backend.ts";

const TARGETS = Object.entries(KILL_SCOPES)
  .map(([scope, { names }]) => (names === null ? scope : `${scope}:… (${names})`))
  .join(", ");

export const killListCommand: Command = {
  summary: "lists what people have stopped",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  run: (call, context) =>
    withBackend(call, context, async (backend) => {
      const switches = await backend.switches();
      context.out.print(call.on("json") ? JSON.stringify(switches) : killListText(switches));
      return 0;
    }),
};

export const killSetCommand: Command = {
  summary: "stops everything, a repository, a tool or a run: no call of it begins any more",
  details: `TARGET is one of ${TARGETS}.\nCalls that have begun go on; \`airlock cancel\` ends a run.`,
  positional: { name: "TARGET", required: true },
  flags: { ...REASON_FLAGS, json: JSON_FLAG, data: DATA_FLAG },
  run: (call, context) =>
    withBackend(call, context, (backend) => turn(backend, call, { kind: "kill", out: context.out })),
};

export const killClearCommand: Command = {
  summary: "lets go on what was stopped; calls that were refused meanwhile stay refused",
  positional: { name: "TARGET", required: true },
  flags: { ...REASON_FLAGS, json: JSON_FLAG, data: DATA_FLAG },
  run: (call, context) =>
    withBackend(call, context, (backend) => turn(backend, call, { kind: "unkill", out: context.out })),
};

/** Ends with 0 once the switch stands as asked, with 1 where no validator did it in time. */
async function turn(
  backend: Backend,
  call: CommandCall,
  { kind, out }: { readonly kind: "kill" | "unkill"; readonly out: Screen },
): Promise<number> {
  const target = targetOf(call.positional ?? "");
  const { id, done } = await backend.turnSwitch({ kind, target, reason: reasonOf(call) });
  const word = kind === "kill" ? "stopped" : "let go on";
  const waits = `no validator answered in ${ANSWER_MS / 1_000} s; the order waits: \`airlock kill list\` will tell`;
  out.print(
    call.on("json")
      ? JSON.stringify({ id, target, kind, done })
      : `${plainCell(target)}: ${done ? word : waits}`,
  );
  return done ? 0 : 1;
}

function targetOf(text: string): string {
  const target = killTargetSchema.safeParse(text);
  if (target.success) return target.data;
  throw new AirlockError("USAGE", `${plainCell(text)}: a target is one of ${TARGETS}`);
}
