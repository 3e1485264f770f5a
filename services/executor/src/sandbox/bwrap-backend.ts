import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { makePrivateDirectory, parseWorkspacePath } from "../workspace/index.ts";
import type {
  SandboxBackend,
  SandboxLimits,
  SandboxRequest,
  SandboxResult,
  SandboxSession,
  SandboxWorkspace,
} from "./backend.ts";
import { bwrapArguments, hasNetwork } from "./bwrap-arguments.ts";
import { resolveCommand } from "./command-table.ts";
import { readHostLayout, type HostLayout } from "./host-layout.ts";
import { assertIdentity, type Identity } from "./identity.ts";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { probeSandbox } from "./probe.ts";
import { openMemoryGroups, type MemoryGroup, type MemoryGroups } from "./memory-groups.ts";
import { killMarked, processMarker } from "./process-tree.ts";
import { BLOCK_FD, runSandboxed, SECCOMP_FD, STATUS_FD, type SandboxStart } from "./run-sandboxed.ts";
import { createSession } from "./session.ts";
import { writeSeccompFiles, type SeccompFiles } from "./seccomp-files.ts";

/** Opens sandboxes with the system's bubblewrap; refuses to be made for root without a service user. */
export interface BwrapConfig extends Identity {
  /** By absolute path: distributions grant user namespaces to this very file. */
  readonly bwrapPath: string;
  /** The executor's own, on the volume: the probe shows what holds there. */
  readonly stateDir: string;
  /** Directories with a `bin`, bound read-only under their own path; never inside an agent's tree. */
  readonly toolchains: readonly string[];
  /** A cgroup that was delegated to this process; left out, the memory of a call's processes together has no bound. */
  readonly cgroup?: string;
  /** As Node names it; left out, this process's own. */
  readonly architecture?: string;
}

interface Opened {
  readonly config: BwrapConfig;
  readonly layout: HostLayout;
  readonly etcDir: string;
  readonly inherited: readonly number[];
  readonly seccomp: SeccompFiles | null;
  readonly groups: MemoryGroups | null;
}

export async function createBwrapBackend(config: BwrapConfig): Promise<SandboxBackend> {
  assertIdentity(config);
  assertToolchains(config);
  const opened: Opened = {
    config,
    layout: await readHostLayout(),
    etcDir: await writeEtc(config),
    seccomp: await writeSeccompFiles(config.stateDir, config.architecture),
    inherited: await inheritedDescriptors(),
    groups: config.cgroup === undefined ? null : await openMemoryGroups(config.cgroup),
  };
  return {
    name: "bwrap",
    probe: (signal) =>
      probeSandbox(
        {
          stateDir: config.stateDir,
          serviceUser: config.serviceUser,
          toolchains: config.toolchains,
          boundsMemory: opened.groups !== null,
          open: (workspace, limits) => openSession(opened, workspace, limits),
        },
        signal,
      ),
    open: (workspace, limits) => Promise.resolve(openSession(opened, workspace, limits)),
    kill: (name) => killMarked(processMarker(name)),
  };
}

function assertToolchains(config: BwrapConfig): void {
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
  return createSession("bwrap", (request, signal) => execIn(opened, { workspace, limits, request }, signal));
}

interface Exec {
  readonly workspace: SandboxWorkspace;
  readonly limits: SandboxLimits;
  readonly request: SandboxRequest;
}

async function execIn(opened: Opened, exec: Exec, signal: AbortSignal): Promise<SandboxResult> {
  const { request, workspace, limits } = exec;
  const { config, layout, etcDir, seccomp, groups } = opened;
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
    seccompFd: seccomp === null ? null : SECCOMP_FD,
    blockFd: groups === null ? null : BLOCK_FD,
    command: [command.path, ...rest],
  });
  return groups === null
    ? startIn(opened, { ...exec, args, group: null }, signal)
    : inGroup(groups, limits, (group) => startIn(opened, { ...exec, args, group }, signal));
}

async function inGroup(
  groups: MemoryGroups,
  limits: SandboxLimits,
  run: (group: MemoryGroup) => Promise<SandboxResult>,
): Promise<SandboxResult> {
  const group = await groups.make(limits.memoryBytes).catch((error: unknown) => reasonOf(error));
  if (typeof group === "string")
    return { kind: "sandbox_failed", reason: `no cgroup for the call: ${group}` };
  try {
    return await run(group);
  } finally {
    await group.remove();
  }
}

async function startIn(
  { config, inherited, seccomp }: Opened,
  { request, limits, args, group }: Exec & Pick<SandboxStart, "args" | "group">,
  signal: AbortSignal,
): Promise<SandboxResult> {
  if (!(await request.fenceHolds())) return { kind: "fence_lost" };
  const start = {
    bwrapPath: config.bwrapPath,
    args,
    group,
    marker: processMarker(request.name),
    user: config.serviceUser,
    inherited,
    seccompFile: seccomp?.[hasNetwork(request.profile) ? "network" : "closed"] ?? null,
    stdin: request.stdin ?? null,
    outputBytes: limits.outputBytes,
    timeoutMs: request.timeoutMs,
  };
  return runSandboxed(start, signal);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "no reason";
}
