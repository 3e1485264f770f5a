import { poolListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const poolsCommand: Command = {
  summary: "lists the pools of executors and how many runs each has",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const pools = await backend.pools();
      context.out.print(call.on("json") ? JSON.stringify(pools) : poolListText(pools));
      return 0;
    });
  },
};
