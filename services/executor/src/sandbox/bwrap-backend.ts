import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { makePrivateDirectory, parseWorkspacePath, type ServiceUser } from "../workspace/index.ts";
import type {
  SandboxBackend,
  SandboxLimits,
  SandboxRequest,
  SandboxResult,
  SandboxSession,
  SandboxWorkspace,
} from "./backend.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { resolveCommand } from "./command-table.ts";
import { readHostLayout, type HostLayout } from "./host-layout.ts";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { probeSandbox } from "./probe.ts";
import { killMarked, processMarker } from "./process-tree.ts";
import { runSandboxed, STATUS_FD } from "./run-sandboxed.ts";

/** Opens sandboxes with the system's bubblewrap; refuses to be made for root without a service user. */
export interface BwrapConfig {
  /** By absolute path: distributions grant user namespaces to this very file. */
  readonly bwrapPath: string;
  /** The executor's own, on the volume: the probe shows what holds there. */
  readonly stateDir: string;
  readonly serviceUser: ServiceUser | null;
  readonly effectiveUid: number;
  /** Directories with a `bin`, bound read-only under their own path; never inside an agent's tree. */
  readonly toolchains: readonly string[];
}

interface Opened {
  readonly config: BwrapConfig;
  readonly layout: HostLayout;
  readonly etcDir: string;
  readonly inherited: readonly number[];
}

export async function createBwrapBackend(config: BwrapConfig): Promise<SandboxBackend> {
  assertIdentity(config);
  const opened: Opened = {
    config,
    layout: await readHostLayout(),
    etcDir: await writeEtc(config),
    inherited: await inheritedDescriptors(),
  };
  return {
    name: "bwrap",
    probe: (signal) =>
      probeSandbox(
        {
          stateDir: config.stateDir,
          serviceUser: config.serviceUser,
          toolchains: config.toolchains,
          open: (workspace, limits) => openSession(opened, workspace, limits),
        },
        signal,
      ),
    open: (workspace, limits) => Promise.resolve(openSession(opened, workspace, limits)),
    kill: (name) => killMarked(processMarker(name)),
  };
}

function assertIdentity(config: BwrapConfig): void {
  if (config.effectiveUid === 0 && (config.serviceUser === null || config.serviceUser.uid === 0)) {
    throw new AirlockError("CONFIG_INVALID", "an executor that runs as root needs a service user");
  }
  if (config.effectiveUid !== 0 && config.serviceUser !== null) {
    throw new AirlockError("CONFIG_INVALID", "only an executor that runs as root can use a service user");
  }
  const relative = config.toolchains.find((dir) => !/^\/[^:\0]+[^/:\0]$/.test(dir));
  if (relative !== undefined) {
    throw new AirlockError(
      "CONFIG_INVALID",
      "a toolchain is an absolute path without `:` and trailing slash",
    );
  }
}

/** The names that a program sees for the uids in its sandbox. */
async function writeEtc(config: BwrapConfig): Promise<string> {
  const { uid, gid } = config.serviceUser ?? { uid: config.effectiveUid, gid: process.getgid?.() ?? 0 };
  const etcDir = join(config.stateDir, "etc");
  await makePrivateDirectory(config.stateDir, config.serviceUser);
  await makePrivateDirectory(etcDir, config.serviceUser);
  await writeFile(join(etcDir, "passwd"), `agent:x:${uid}:${gid}:agent:/tmp:/bin/sh\n`, { mode: 0o644 });
  await writeFile(join(etcDir, "group"), `agent:x:${gid}:\n`, { mode: 0o644 });
  return etcDir;
}

function openSession(opened: Opened, workspace: SandboxWorkspace, limits: SandboxLimits): SandboxSession {
  const closing = new AbortController();
  const running = new Set<Promise<SandboxResult>>();
  return {
    exec(request, signal) {
      const both = AbortSignal.any([signal, closing.signal]);
      const result = execIn(opened, { workspace, limits, request }, both);
      running.add(result);
      return result.finally(() => running.delete(result));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}

interface Exec {
  readonly workspace: SandboxWorkspace;
  readonly limits: SandboxLimits;
  readonly request: SandboxRequest;
}

async function execIn(opened: Opened, exec: Exec, signal: AbortSignal): Promise<SandboxResult> {
  const { request, workspace, limits } = exec;
  const { config, layout, etcDir, inherited } = opened;
  const [program = "", ...rest] = request.argv;
  const cwd = parseWorkspacePath(request.cwdRel, "read");
  if (!cwd.ok) return { kind: "path_refused", detail: cwd.detail };
  if (rest.some((arg) => arg.includes("\0"))) {
    return { kind: "command_not_found", detail: "an argument holds a NUL byte" };
  }
  const command = request.program ?? (await resolveCommand(program, config.toolchains));
  if ("detail" in command) return { kind: "command_not_found", detail: command.detail };
  const args = bwrapArguments({
    layout,
    etcDir,
    toolchains: config.toolchains,
    programs: request.program?.hidden === true ? [request.program.path] : [],
    workspace,
    limits,
    profile: request.profile,
    environment: request.environment ?? {},
    cwdRel: cwd.components.join("/"),
    statusFd: STATUS_FD,
    command: [command.path, ...rest],
  });
  if (!(await request.fenceHolds())) return { kind: "fence_lost" };
  const start = {
    bwrapPath: config.bwrapPath,
    args,
    marker: processMarker(request.name),
    user: config.serviceUser,
    inherited,
    stdin: request.stdin ?? null,
    outputBytes: limits.outputBytes,
    timeoutMs: request.timeoutMs,
  };
  return runSandboxed(start, signal);
}
