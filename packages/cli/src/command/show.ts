import { runText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const showCommand: Command = {
  summary: "shows a run: its attempts, calls and artifact",
  positional: { name: "RUN", required: true },
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const document = await backend.run(call.positional ?? "");
      context.out.print(call.on("json") ? JSON.stringify(document) : runText(context.out, document));
      return 0;
    });
  },
};
