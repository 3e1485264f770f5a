import { Buffer } from "node:buffer";
import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { z } from "zod";
import type { CappedOutput, SandboxResult } from "../sandbox/index.ts";
import { fitText } from "./fit-text.ts";
import { readArguments } from "./read-arguments.ts";
import {
  CLAIM_LOST,
  endedPlan,
  refuse,
  succeed,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "./tool-body.ts";

const runCommandArguments = z.strictObject({
  argv: z.array(z.string()).min(1),
  cwd: z.string().optional(),
  timeoutMs: z.number().int().min(1).optional(),
});

/** Of the output that a result may hold; errors are usually at the end of either stream. */
const STDERR_SHARE = 0.25;

/** An argv in, exit code and output out; refuses where no sandbox holds. There is no shell. */
export const runCommandTool: Tool = {
  async plan(context, args) {
    const parsed = readArguments(runCommandArguments, args);
    if (!parsed.ok) return endedPlan(parsed.refusal);
    const { session, limits } = context;
    if (session === null) {
      const missing = context.missing.length === 0 ? "there is no sandbox" : context.missing.join(", ");
      return endedPlan(refuse("SANDBOX_UNAVAILABLE", `not provided here: ${missing}`));
    }
    const { argv, cwd = "", timeoutMs = limits.timeoutMs } = parsed.value;
    const refusal = await refuseDirectory(context.files, cwd);
    if (refusal !== null) return endedPlan(refusal);
    const request = {
      name: context.name,
      fenceHolds: context.fenceHolds,
      argv,
      cwdRel: cwd,
      profile: "write" as const,
      timeoutMs: Math.min(timeoutMs, limits.timeoutMs),
    };
    return {
      kind: "ready",
      expected: null,
      run: async (signal) => outcomeOf(await session.exec(request, signal), limits.outputBytes),
    };
  },
  // A program may have done anything, or nothing.
  probe: null,
};

async function refuseDirectory(files: ToolContext["files"], cwd: string): Promise<ToolOutcome | null> {
  if (cwd === "") return null;
  const stat = await files.stat(cwd);
  if (!stat.ok) return refuse(stat.errorClass, stat.detail);
  if (stat.exists && stat.type === "directory") return null;
  return refuse("PATH_REFUSED", "cwd is not a directory of the workspace");
}

function outcomeOf(result: SandboxResult, maxBytes: number): ToolOutcome {
  switch (result.kind) {
    case "exited":
      return succeed({ exitCode: result.code, ...outputContent(result, maxBytes) });
    case "timeout":
      return ended("timeout", "TOOL_TIMEOUT", outputContent(result, maxBytes));
    case "output_limit":
      return ended("output_limit", "OUTPUT_LIMIT", outputContent(result, maxBytes));
    case "cancelled":
      return ended("cancelled", "CANCELLED", outputContent(result, maxBytes));
    case "command_not_found":
      return refuse("COMMAND_NOT_FOUND", result.detail);
    case "path_refused":
      return refuse("PATH_REFUSED", result.detail);
    case "fence_lost":
      return CLAIM_LOST;
    case "sandbox_failed":
      return refuse("SANDBOX_FAILED", result.reason);
    case "unknown":
      return { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: result.reason };
    default:
      return assertNever(result);
  }
}

function ended(
  status: "timeout" | "output_limit" | "cancelled",
  errorClass: "TOOL_TIMEOUT" | "OUTPUT_LIMIT" | "CANCELLED",
  content: JsonObject,
): ToolOutcome {
  return { status, errorClass, content: { exitCode: null, ...content } };
}

interface Output {
  readonly stdout: CappedOutput;
  readonly stderr: CappedOutput;
  readonly durationMs: number;
}

function outputContent(output: Output, maxBytes: number): JsonObject {
  const stderr = streamContent(output.stderr, Math.floor(maxBytes * STDERR_SHARE));
  const stdout = streamContent(output.stdout, Math.floor(maxBytes * (1 - STDERR_SHARE)));
  return { stdout, stderr, durationMs: output.durationMs };
}

function streamContent(output: CappedOutput, maxBytes: number): JsonObject {
  const mark = output.omittedBytes === 0 ? "" : `\n[... ${output.omittedBytes} bytes omitted ...]\n`;
  const text = Buffer.concat([output.head, Buffer.from(mark), output.tail]).toString();
  const fitted = fitText(text, maxBytes);
  return {
    text: fitted.text,
    totalBytes: output.totalBytes,
    omittedBytes: output.omittedBytes + fitted.omittedBytes,
  };
}
