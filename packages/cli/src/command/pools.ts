import { listPools } from "@airlock/operator/document";
import { poolListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withSession } from "./with-session.ts";

export const poolsCommand: Command = {
  summary: "lists the pools of executors and how many runs each has",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    return withSession(call, context, async (session) => {
      const pools = await listPools(session.redis);
      context.out.print(call.on("json") ? JSON.stringify(pools) : poolListText(pools));
      return 0;
    });
  },
};
