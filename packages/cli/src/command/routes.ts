import { routeListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withBackend } from "./with-backend.ts";

export const routesCommand: Command = {
  summary: "lists the model routes: what contract reports show of each, and whether it is suspended",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    const { out } = context;
    return withBackend(call, context, async (backend) => {
      const documents = await backend.routes();
      out.print(call.on("json") ? JSON.stringify(documents) : routeListText(out, documents));
      return 0;
    });
  },
};
