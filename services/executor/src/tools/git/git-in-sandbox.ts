// Takes a fixed sub-command of git with its flags, gives what it wrote; refuses where there is no sandbox. Git reads the
// run's own git dir, which the executor made: no configuration, hook, filter or driver that the tree names is obeyed.
import { Buffer } from "node:buffer";
import { assertNever } from "@airlock/core/fault";
import type { SandboxResult } from "../../sandbox/index.ts";
import { CLAIM_LOST, refuse, type ProbeContext, type ToolOutcome } from "../tool-body.ts";

const SETTINGS = {
  "safe.directory": "*",
  "commit.gpgSign": "false",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "diff.ignoreSubmodules": "all",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "submodule.recurse": "false",
} as const;

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_ATTR_NOSYSTEM: "1",
  GIT_DIR: "/git",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_WORK_TREE: "/ws",
  GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
  ...Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

export interface GitCommand {
  /** The sub-command and its flags; operands from a model follow `--`, or have a form that is no flag. */
  readonly args: readonly string[];
  /** `read` where nothing is written, `git` where the git dir is. */
  readonly profile: "read" | "git";
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export type GitOutput =
  | {
      readonly ok: true;
      readonly text: string;
      /** the end of the output is missing */
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  | { readonly ok: false; readonly outcome: ToolOutcome };

export async function gitInSandbox(
  context: ProbeContext,
  command: GitCommand,
  signal: AbortSignal,
): Promise<GitOutput> {
  const { session, limits } = context;
  if (session === null) return failed(refuse("SANDBOX_UNAVAILABLE", "there is no sandbox"));
  const result = await session.exec(
    {
      name: context.name,
      // A plan looks before the call has begun, and a probe after it was lost.
      fenceHolds: command.profile === "read" ? nothingChanges : context.fenceHolds,
      argv: ["git", ...command.args],
      environment: { ...ENVIRONMENT, ...command.environment },
      cwdRel: "",
      profile: command.profile,
      timeoutMs: limits.timeoutMs,
      ...(command.stdin === undefined ? {} : { stdin: Buffer.from(command.stdin) }),
    },
    signal,
  );
  return outputOf(result, command.args[0] ?? "");
}

const nothingChanges = (): Promise<boolean> => Promise.resolve(true);

function outputOf(result: SandboxResult, subcommand: string): GitOutput {
  switch (result.kind) {
    case "exited": {
      const { code, stdout, stderr, durationMs } = result;
      if (code !== 0) return failed(errorOf(`git ${subcommand}`, code, stderr.head));
      const truncated = stdout.omittedBytes > 0;
      const bytes = truncated ? stdout.head : Buffer.concat([stdout.head, stdout.tail]);
      return { ok: true, text: bytes.toString(), truncated, durationMs };
    }
    case "timeout":
      return failed(stopped("timeout", "TOOL_TIMEOUT", subcommand));
    case "output_limit":
      return failed(stopped("output_limit", "OUTPUT_LIMIT", subcommand));
    case "cancelled":
      return failed(stopped("cancelled", "CANCELLED", subcommand));
    case "command_not_found":
      return failed(refuse("COMMAND_NOT_FOUND", result.detail));
    case "path_refused":
      return failed(refuse("PATH_REFUSED", result.detail));
    case "fence_lost":
      return failed(CLAIM_LOST);
    case "sandbox_failed":
      return failed(refuse("SANDBOX_FAILED", result.reason));
    case "unknown":
      return failed({ status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: result.reason });
    default:
      return assertNever(result);
  }
}

function failed(outcome: ToolOutcome): GitOutput {
  return { ok: false, outcome };
}

function errorOf(command: string, exitCode: number, stderr: Buffer): ToolOutcome {
  const said = stderr.toString().trim().slice(0, 1000);
  const content = {
    error: "TOOL_FAILED",
    detail: `${command} ended with exit code ${exitCode}`,
    exitCode,
    stderr: said,
  };
  return { status: "error", errorClass: "TOOL_FAILED", content };
}

function stopped(
  status: "timeout" | "output_limit" | "cancelled",
  errorClass: "TOOL_TIMEOUT" | "OUTPUT_LIMIT" | "CANCELLED",
  subcommand: string,
): ToolOutcome {
  return { status, errorClass, content: { error: errorClass, detail: `git ${subcommand} was stopped` } };
}
