import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { loadPolicyFile, loadTools } from "@airlock/core/runtime";
import { cliConfig } from "../config.ts";
import { toolsPlace } from "../local/index.ts";
import { explainCall } from "../policy/index.ts";
import { decisionText } from "../view/index.ts";
import { JSON_FLAG, type Command, type CommandCall } from "./command.ts";

export const policyExplainCommand: Command = {
  summary: "says what a policy decides on one call, and why",
  details: "It ends with 0 whatever the decision is, and with 2 where the input can't be used.",
  positional: null,
  flags: {
    policy: { value: "FILE", doc: "policy file" },
    tool: { value: "TOOL", doc: "the tool's name" },
    args: { value: "JSON", doc: "its arguments" },
    workspace: { value: "DIR", doc: "look at this folder, so that links count as what they lead to" },
    json: JSON_FLAG,
  },
  async run(call, { environment, folder, out }) {
    const { catalog } = loadTools(toolsPlace(folder, cliConfig(environment)));
    const workspace = call.text("workspace");
    const decided = await explainCall({
      policy: loadPolicyFile(path.resolve(folder, required(call, "policy")), { catalog }),
      catalog,
      tool: required(call, "tool"),
      args: required(call, "args"),
      workspace: workspace === undefined ? null : workspaceFolder(path.resolve(folder, workspace)),
    });
    const { decision, winning, policyDigest } = decided;
    const matched = decided.matched.map(({ rule, decision: each, reason }) => ({
      rule,
      decision: each,
      reason,
    }));
    const document = { decision, winning, policyDigest, matched };
    out.print(call.on("json") ? JSON.stringify(document) : decisionText(out, decided));
    return 0;
  },
};

function required(call: CommandCall, flag: string): string {
  const value = call.text(flag);
  if (value === undefined) throw new AirlockError("USAGE", `\`airlock policy explain\` needs --${flag}`);
  return value;
}

function workspaceFolder(folder: string): string {
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  throw new AirlockError("USAGE", `--workspace ${folder} is no folder`);
}
