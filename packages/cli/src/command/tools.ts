import { toolListText } from "../view/index.ts";
import { JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const toolsCommand: Command = {
  summary: "lists the tools that runs may name: the built-in ones, and the operator's in AIRLOCK_TOOLS",
  positional: null,
  flags: { json: JSON_FLAG },
  async run(call, context) {
    return withBackend(call, context, async (backend) => {
      const documents = await backend.tools();
      context.out.print(call.on("json") ? JSON.stringify(documents) : toolListText(documents));
      return 0;
    });
  },
};
