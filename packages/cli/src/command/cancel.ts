import { AirlockError } from "@airlock/core/fault";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

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
    return withBackend(call, context, async (backend) => {
      const { state, requested } = await backend.cancel(id, reason);
      const said = requested ? `cancel of run ${id} requested` : `run ${id} had ended before: ${state}`;
      context.out.print(call.on("json") ? JSON.stringify({ id, state, requested }) : said);
      return 0;
    });
  },
};
