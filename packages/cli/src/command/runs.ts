import { runListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { limitOf } from "./limit.ts";
import { withBackend } from "./with-backend.ts";

const DEFAULT_LIMIT = 20;

export const runsCommand: Command = {
  summary: "lists the latest runs",
  positional: null,
  flags: {
    limit: { value: "N", doc: `how many (${DEFAULT_LIMIT})` },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const limit = limitOf(call, DEFAULT_LIMIT);
    return withBackend(call, context, async (backend) => {
      const runs = await backend.runs(limit);
      context.out.print(call.on("json") ? JSON.stringify(runs) : runListText(context.out, runs));
      return 0;
    });
  },
};
