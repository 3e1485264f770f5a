import path from "node:path";
import { loadTools } from "@airlock/core/runtime";
import { operatorBodies } from "@airlock/executor";
import { dataFolder } from "../session/index.ts";
import { cliConfig } from "../config.ts";
import { listTools } from "@airlock/operator/document";
import { dataPaths, toolchainsOf, volumeOf } from "../local/index.ts";
import { toolListText } from "../view/index.ts";
import { DATA_FLAG, JSON_FLAG, type Command } from "./command.ts";

export const toolsCheckCommand: Command = {
  summary: "checks an operator's tool, or a folder of them, as the services do when they start",
  details:
    "It ends with 0 if every tool can be used, and else with 2 and the file, line and column of each fault.\n" +
    "Programs are looked for on this machine, unless --manifests leaves them to the executor's.",
  positional: { name: "FILE|DIR", required: true },
  flags: {
    manifests: { value: null, doc: "check the manifests only, not whether their programs are here" },
    json: JSON_FLAG,
    data: DATA_FLAG,
  },
  async run(call, { environment, folder, out }) {
    const { catalog, operatorTools } = loadTools(path.resolve(folder, call.positional ?? ""));
    if (!call.on("manifests")) {
      const paths = dataPaths(dataFolder(folder, cliConfig(environment), call.text("data")));
      const volume = volumeOf(paths, { environment, folder });
      await operatorBodies(operatorTools, { toolchains: toolchainsOf(environment), volume });
    }
    const checked = listTools(catalog).filter(({ origin }) => origin === "operator");
    out.print(call.on("json") ? JSON.stringify(checked) : toolListText(checked));
    return 0;
  },
};
