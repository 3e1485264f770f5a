import { AirlockError } from "@airlock/core/fault";
import { isFinalRun, readRun } from "@airlock/core/run";
import { cancelRun } from "@airlock/operator/order";
import { assertSubmitted } from "@airlock/operator/document";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withSession } from "./with-session.ts";

const MAX_REASON = 200;

export const cancelCommand: Command = {
  summary: "asks for the end of a run",
  positional: { name: "RUN", required: true },
  flags: { reason: { value: "TEXT", doc: "why" }, json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    const id = call.positional ?? "";
    const reason = call.text("reason") ?? "";
    if (reason.length > MAX_REASON) {
      throw new AirlockError("USAGE", `--reason: at most ${MAX_REASON} characters`);
    }
    return withSession(call, context, async (session) => {
      await assertSubmitted(session.redis, id);
      const state = (await readRun(session.redis, id))?.state ?? "queued";
      const ended = isFinalRun(state);
      if (!ended) await cancelRun(session, id, reason);
      const said = ended ? `run ${id} had ended before: ${state}` : `cancel of run ${id} requested`;
      context.out.print(call.on("json") ? JSON.stringify({ id, state, requested: !ended }) : said);
      return 0;
    });
  },
};
