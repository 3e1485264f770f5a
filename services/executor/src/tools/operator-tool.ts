// Takes an operator's manifest with its programs, gives the tool that runs them: the arguments as JSON on stdin, one
// strict JSON value on stdout, in the sandbox of every command; refused are an exit code but 0 and any other output.
import { assertNever } from "@airlock/core/fault";
import {
  canonicalJson,
  isJsonObject,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
} from "@airlock/core/json";
import type { ToolManifest } from "@airlock/core/tool";
import type { CappedOutput, OperatorProgram, SandboxRequest, SandboxResult } from "../sandbox/index.ts";
import {
  CLAIM_LOST,
  endedPlan,
  refuse,
  succeed,
  type ProbeContext,
  type ProbeFinding,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "./tool-body.ts";

const RESULT_DEPTH = 64;

/** Of stderr, whose end as a rule says what went wrong. */
const STDERR_TAIL_BYTES = 4_096;

export interface Command {
  readonly argv: readonly string[];
  readonly program: OperatorProgram;
}

export function operatorProgramTool(manifest: ToolManifest, command: Command, probe: Command | null): Tool {
  // The sandbox holds it to its word: where nothing can be written, a tool that tries fails.
  const profile = manifest.effect === "read" ? "read" : "write";
  return {
    plan(context, args) {
      const { session, limits } = context;
      if (session === null)
        return Promise.resolve(endedPlan(refuse("SANDBOX_UNAVAILABLE", "there is no sandbox")));
      const request = { ...requestFor(context, command, args), profile } as const;
      return Promise.resolve({
        kind: "ready",
        expected: probe === null ? null : { arguments: args },
        run: async (signal) => outcomeOf(await session.exec(request, signal), limits),
      });
    },
    probe:
      probe === null
        ? null
        : async (context, expected, signal) => {
            const args = expected["arguments"];
            if (context.session === null || args === undefined || !isJsonObject(args)) return "inconclusive";
            const request = { ...requestFor(context, probe, args), profile: "read" } as const;
            return findingOf(await context.session.exec(request, signal));
          },
  };
}

/** The same key in every attempt at one call, so that a program, or what it talks to, can know a call again. */
function requestFor(
  context: ProbeContext,
  { argv, program }: Command,
  args: JsonObject,
): Omit<SandboxRequest, "profile"> {
  return {
    name: context.name,
    fenceHolds: context.fenceHolds,
    argv,
    program,
    stdin: Buffer.from(canonicalJson(args)),
    environment: { AIRLOCK_IDEMPOTENCY_KEY: context.itemKey },
    cwdRel: "",
    timeoutMs: context.limits.timeoutMs,
  };
}

const FINDINGS: readonly ProbeFinding[] = ["done", "not_done", "inconclusive"];

/** A probe that fails, or says anything else, has found nothing out. */
function findingOf(result: SandboxResult): ProbeFinding {
  if (result.kind !== "exited" || result.code !== 0) return "inconclusive";
  const read = readValue(Buffer.concat([result.stdout.head, result.stdout.tail]), 64);
  return FINDINGS.find((finding) => read.ok && finding === read.value) ?? "inconclusive";
}

type Limits = ToolContext["limits"];

function outcomeOf(result: SandboxResult, limits: Limits): ToolOutcome {
  switch (result.kind) {
    case "exited":
      return exited(result, limits.outputBytes);
    case "timeout":
      return failed("timeout", result, `the tool took longer than ${limits.timeoutMs} ms and was killed`);
    case "output_limit":
      return failed("output_limit", result, "the tool was killed: it kept writing beyond its limit");
    case "cancelled":
      return failed("cancelled", result, "the tool was stopped");
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

type Exited = Extract<SandboxResult, { kind: "exited" }>;

function exited(result: Exited, outputBytes: number): ToolOutcome {
  const { code, stdout } = result;
  if (code !== 0) return failed("error", result, `the tool ended with exit code ${code}`);
  const tooLong = `the tool wrote ${stdout.totalBytes} bytes, more than its limit of ${outputBytes}`;
  if (stdout.totalBytes > outputBytes) return failed("output_limit", result, tooLong);
  const read = readValue(Buffer.concat([stdout.head, stdout.tail]), outputBytes);
  if (!read.ok) return failed("error", result, `stdout is not one strict JSON value: ${read.reason}`);
  return succeed({ result: read.value, stderr: stderrOf(result.stderr), durationMs: result.durationMs });
}

type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

function readValue(bytes: Buffer, maxBytes: number): ReadValue {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return { ok: false, reason: "BAD_UTF8" };
  const parsed = parseStrictJson(text, { maxBytes, maxDepth: RESULT_DEPTH, topLevel: "any" });
  return parsed.ok ? parsed : { ok: false, reason: `${parsed.errorClass} at offset ${parsed.offset}` };
}

const CLASSES = {
  error: "TOOL_FAILED",
  timeout: "TOOL_TIMEOUT",
  output_limit: "OUTPUT_LIMIT",
  cancelled: "CANCELLED",
} as const;

interface Ran {
  readonly code?: number;
  readonly stderr: CappedOutput;
  readonly durationMs: number;
}

/** The tool ran, and may have had its effect: what it wrote to stdout is nobody's result. */
function failed(status: keyof typeof CLASSES, ran: Ran, detail: string): ToolOutcome {
  const { code = null, durationMs } = ran;
  const errorClass = CLASSES[status];
  const content: JsonObject = {
    error: errorClass,
    detail,
    exitCode: code,
    stderr: stderrOf(ran.stderr),
    durationMs,
  };
  return { status, errorClass, content };
}

function stderrOf({ head, tail, totalBytes }: CappedOutput): JsonObject {
  const kept = Buffer.concat([head, tail]);
  const text = kept.subarray(Math.max(0, kept.length - STDERR_TAIL_BYTES)).toString();
  return { text, omittedBytes: Math.max(0, totalBytes - STDERR_TAIL_BYTES) };
}
