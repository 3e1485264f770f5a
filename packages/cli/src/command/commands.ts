import type { Command, CommandContext } from "./command.ts";
import { aclCommand } from "./acl.ts";
import { approvalsKeyCommand } from "./approvals-key.ts";
import { approvalsListCommand, approvalsShowCommand } from "./approvals-look.ts";
import { approvalsApproveCommand, approvalsDenyCommand, approvalsSignCommand } from "./approvals-answer.ts";
import { cancelCommand } from "./cancel.ts";
import { consoleTokenCommand, consoleUserCommand } from "./console-users.ts";
import { contractCommand } from "./contract.ts";
import { decisionsCommand } from "./decisions.ts";
import { demoCommand } from "./demo.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { eventsCommand } from "./events.ts";
import { keysCreateCommand, keysListCommand, keysRevokeCommand, keysRotateCommand } from "./keys.ts";
import { killClearCommand, killListCommand, killSetCommand } from "./kill.ts";
import { parseCommandLine, type CommandTable } from "./parse.ts";
import { poolsCommand } from "./pools.ts";
import { quarantineAbandonCommand, quarantineRequeueCommand } from "./quarantine-act.ts";
import { quarantineListCommand, quarantineShowCommand } from "./quarantine-look.ts";
import { ledgerListCommand, ledgerShowCommand } from "./ledger-look.ts";
import { ledgerResolveCommand } from "./ledger-resolve.ts";
import { policyExplainCommand } from "./policy-explain.ts";
import { policyTestCommand } from "./policy-test.ts";
import { replayCommand } from "./replay.ts";
import { reportCommand } from "./report.ts";
import { routesCommand } from "./routes.ts";
import { runCommand } from "./run.ts";
import { runsCommand } from "./runs.ts";
import { showCommand } from "./show.ts";
import { toolsCheckCommand } from "./tools-check.ts";
import { toolsCommand } from "./tools.ts";
import { upCommand } from "./up.ts";

/** Every command: parsing and `--help` come from this table. */
export const COMMANDS = {
  up: upCommand,
  run: runCommand,
  runs: runsCommand,
  show: showCommand,
  events: eventsCommand,
  cancel: cancelCommand,
  diff: diffCommand,
  report: reportCommand,
  "approvals list": approvalsListCommand,
  "approvals show": approvalsShowCommand,
  "approvals approve": approvalsApproveCommand,
  "approvals deny": approvalsDenyCommand,
  "approvals sign": approvalsSignCommand,
  "approvals key": approvalsKeyCommand,
  pools: poolsCommand,
  "quarantine list": quarantineListCommand,
  "quarantine show": quarantineShowCommand,
  "quarantine requeue": quarantineRequeueCommand,
  "quarantine abandon": quarantineAbandonCommand,
  "kill list": killListCommand,
  "kill set": killSetCommand,
  "kill clear": killClearCommand,
  "ledger list": ledgerListCommand,
  "ledger show": ledgerShowCommand,
  "ledger resolve": ledgerResolveCommand,
  decisions: decisionsCommand,
  routes: routesCommand,
  tools: toolsCommand,
  "tools check": toolsCheckCommand,
  contract: contractCommand,
  "policy test": policyTestCommand,
  "policy explain": policyExplainCommand,
  replay: replayCommand,
  doctor: doctorCommand,
  "keys create": keysCreateCommand,
  "keys list": keysListCommand,
  "keys rotate": keysRotateCommand,
  "keys revoke": keysRevokeCommand,
  acl: aclCommand,
  "console user": consoleUserCommand,
  "console token": consoleTokenCommand,
  demo: demoCommand,
} as const satisfies Record<string, Command>;

/** Returns the exit code. */
export async function runCommandLine(
  commands: CommandTable,
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  const parsed = parseCommandLine(commands, words);
  if (parsed.kind === "call") return parsed.command.run(parsed.call, context);
  context.out.print(parsed.text);
  return words.length === 0 ? 2 : 0;
}
