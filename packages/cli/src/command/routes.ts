import { loadRoutes } from "@airlock/core/runtime";
import { dataFolder } from "../session/index.ts";
import { cliConfig } from "../config.ts";
import { listRoutes } from "@airlock/operator/document";
import { routesFile } from "../local/index.ts";
import { routeListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";
import { withSession } from "./with-session.ts";

export const routesCommand: Command = {
  summary: "lists the model routes: what contract reports show of each, and whether it is suspended",
  positional: null,
  flags: { json: JSON_FLAG, data: DATA_FLAG },
  async run(call, context) {
    const { environment, folder, out } = context;
    const data = dataFolder(folder, cliConfig(environment), call.text("data"));
    const routes = loadRoutes(routesFile({ data, environment, folder }));
    return withSession(call, context, async (session) => {
      const documents = await listRoutes(session, routes);
      out.print(call.on("json") ? JSON.stringify(documents) : routeListText(out, documents));
      return 0;
    });
  },
};
