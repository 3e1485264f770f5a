import { AirlockError } from "@airlock/core/fault";
import { runListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

const DEFAULT_LIMIT = "20";

export const runsCommand: Command = {
  summary: "lists the latest runs",
  positional: null,
  flags: {
    limit: { value: "N", doc: `how many (${DEFAULT_LIMIT})` },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, context) {
    const text = call.text("limit") ?? DEFAULT_LIMIT;
    const limit = Number(text);
    if (!Number.isInteger(limit) || limit < 1) {
      throw new AirlockError("USAGE", `--limit ${text}: it has to be a whole number from 1 on`);
    }
    return withBackend(call, context, async (backend) => {
      const runs = await backend.runs(limit);
      context.out.print(call.on("json") ? JSON.stringify(runs) : runListText(context.out, runs));
      return 0;
    });
  },
};
