import { loadTools } from "@airlock/core/runtime";
import { cliConfig } from "../config.ts";
import { listTools } from "@airlock/operator/document";
import { toolsPlace } from "../local/index.ts";
import { toolListText } from "../view/index.ts";
import { JSON_FLAG, type Command } from "./command.ts";

export const toolsCommand: Command = {
  summary: "lists the tools that runs may name: the built-in ones, and the operator's in AIRLOCK_TOOLS",
  positional: null,
  flags: { json: JSON_FLAG },
  run(call, { environment, folder, out }) {
    const { catalog } = loadTools(toolsPlace(folder, cliConfig(environment)));
    const documents = listTools(catalog);
    out.print(call.on("json") ? JSON.stringify(documents) : toolListText(documents));
    return Promise.resolve(0);
  },
};
