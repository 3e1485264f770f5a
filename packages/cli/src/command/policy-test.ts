import path from "node:path";
import { loadTools } from "@airlock/core/runtime";
import { cliConfig } from "../config.ts";
import { toolsPlace } from "../local/index.ts";
import { checkPolicy } from "../policy/index.ts";
import { policyCheckText } from "../view/index.ts";
import type { Command } from "./command.ts";

export const policyTestCommand: Command = {
  summary: "loads a policy file as the services do, and runs every example in it",
  details:
    "It ends with 0 if all hold, with 1 and each place if not, and with 2 where there is no such file.",
  positional: { name: "FILE", required: true },
  flags: {},
  run(call, { environment, folder, out }) {
    const { catalog } = loadTools(toolsPlace(folder, cliConfig(environment)));
    const check = checkPolicy(path.resolve(folder, call.positional ?? ""), catalog);
    out.print(policyCheckText(out, check, folder));
    return Promise.resolve(check.problems.length === 0 ? 0 : 1);
  },
};
