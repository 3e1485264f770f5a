import { readRunDocument } from "@airlock/operator/document";
import { runText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withSession } from "./with-session.ts";

export const showCommand: Command = {
  summary: "shows a run: its attempts, calls and artifact",
  positional: { name: "RUN", required: true },
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    return withSession(call, context, async (session) => {
      const document = await readRunDocument(session, call.positional ?? "");
      context.out.print(call.on("json") ? JSON.stringify(document) : runText(context.out, document));
      return 0;
    });
  },
};
