// Runs programs without any sandbox, for an operator who has said twice that he wants it: with the same limits, outputs and
// ends as everywhere else, as the service user, in an environment built from nothing. It holds no guarantee.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { parseWorkspacePath } from "../workspace/index.ts";
import type {
  SandboxBackend,
  SandboxLimits,
  SandboxRequest,
  SandboxResult,
  SandboxWorkspace,
} from "./backend.ts";
import { limitArguments } from "./bwrap-arguments.ts";
import { firstEnding } from "./child-ending.ts";
import { collectOutput, feed, KILL_AT_TIMES_THE_CAP, neverStarted } from "./child-output.ts";
import { resolveCommand } from "./command-table.ts";
import { sandboxEnvironment } from "./environment.ts";
import { GUARANTEE_NAMES } from "./guarantees.ts";
import { assertIdentity, type Identity } from "./identity.ts";
import { createSession } from "./session.ts";

export interface NoneConfig extends Identity {
  readonly toolchains: readonly string[];
  /** Told of every call before it starts. */
  readonly warn: (name: string) => void;
}

export function createNoneBackend(config: NoneConfig): SandboxBackend {
  assertIdentity(config);
  const detail = Object.fromEntries(
    GUARANTEE_NAMES.map((name) => [name, "the operator has switched the sandbox off"]),
  );
  return {
    name: "none",
    probe: () => Promise.resolve({ held: new Set(), detail }),
    open: (workspace, limits) =>
      Promise.resolve(
        createSession("none", (request, signal) => execIn(config, { workspace, limits, request }, signal)),
      ),
    // Nothing marks what a program left behind, so nobody can say that it is dead.
    kill: () => Promise.resolve(false),
  };
}

interface Exec {
  readonly workspace: SandboxWorkspace;
  readonly limits: SandboxLimits;
  readonly request: SandboxRequest;
}

async function execIn(config: NoneConfig, exec: Exec, signal: AbortSignal): Promise<SandboxResult> {
  const { request, limits } = exec;
  const [program = "", ...rest] = request.argv;
  const cwd = parseWorkspacePath(request.cwdRel, "read");
  if (!cwd.ok) return { kind: "path_refused", detail: cwd.detail };
  const command = request.program ?? (await resolveCommand(program, config.toolchains));
  if ("detail" in command) return { kind: "command_not_found", detail: command.detail };
  if (!(await request.fenceHolds())) return { kind: "fence_lost" };
  if (signal.aborted) return neverStarted(limits.outputBytes);
  config.warn(request.name);
  const child = start(config, exec, { cwd: cwd.components, command: [command.path, ...rest] });
  if (child instanceof Error) return { kind: "sandbox_failed", reason: child.message };
  feed(child, request.stdin ?? null);
  const output = collectOutput(child, limits.outputBytes);
  const kill = (): Promise<boolean> => Promise.resolve(killGroup(child.pid));
  const maxOutputBytes = limits.outputBytes * KILL_AT_TIMES_THE_CAP;
  const watching = {
    timeoutMs: request.timeoutMs,
    maxOutputBytes,
    outputBytes: () => output.totalBytes(),
    kill,
  };
  const ending = await firstEnding(child, watching, signal);
  killGroup(child.pid);
  await output.drain();
  switch (ending.kind) {
    case "start_failed":
      return { kind: "sandbox_failed", reason: ending.reason };
    case "stopped":
      return { kind: ending.stop.kind, ...output.finish() };
    case "exit":
      return { kind: "exited", code: ending.code ?? codeOfSignal(ending.signal), ...output.finish() };
  }
}

function start(
  { serviceUser, toolchains }: NoneConfig,
  { workspace, limits, request }: Exec,
  { cwd, command }: { readonly cwd: readonly string[]; readonly command: readonly string[] },
) {
  const [prlimit = "", ...args] = [...limitArguments(limits), "--", ...command];
  const git = workspace.git === null ? {} : { GIT_DIR: workspace.git.gitDir, GIT_WORK_TREE: workspace.tree };
  try {
    return spawn(prlimit, args, {
      cwd: join(workspace.tree, ...cwd),
      env: { ...sandboxEnvironment(toolchains), ...request.environment, ...git },
      stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      // A group of its own, which is all that can be killed together here.
      detached: true,
      ...(serviceUser === null ? {} : { uid: serviceUser.uid, gid: serviceUser.gid }),
    });
  } catch (error) {
    return error instanceof Error ? error : new Error("spawn failed", { cause: error });
  }
}

/** As shells say it. */
function codeOfSignal(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

function killGroup(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
  return true;
}
