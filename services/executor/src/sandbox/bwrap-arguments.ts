import type { SandboxLimits, SandboxProfile, SandboxWorkspace } from "./backend.ts";
import { sandboxEnvironment } from "./environment.ts";
import type { HostLayout } from "./host-layout.ts";

/**
 * Everything that decides what a sandboxed program can see, as one pure function. No mount has its destination
 * inside the agent's tree: bubblewrap before 0.12 follows links there while it sets up (CVE-2026-87766).
 */
export interface BwrapPlan {
  readonly layout: HostLayout;
  /** Holds the executor's `passwd` and `group`. */
  readonly etcDir: string;
  readonly toolchains: readonly string[];
  /** The operator's programs that lie elsewhere, shown under their own paths. */
  readonly programs: readonly string[];
  readonly workspace: SandboxWorkspace;
  readonly limits: SandboxLimits;
  readonly profile: SandboxProfile;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwdRel: string;
  readonly statusFd: number;
  /** The first is an absolute path from the executor's own table. */
  readonly command: readonly string[];
}

const ISOLATION = [
  ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"],
  ["--unshare-cgroup-try", "--disable-userns"],
  ["--cap-drop", "ALL"],
  ["--die-with-parent", "--new-session"],
  ["--hostname", "sandbox"],
  ["--clearenv"],
].flat();

const ETC_FROM_HOST = ["/etc/alternatives", "/etc/ssl/certs", "/etc/ld.so.cache"] as const;

export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  return [
    ISOLATION,
    environmentArguments(plan),
    systemArguments(plan),
    deviceArguments(plan.limits),
    [...plan.toolchains, ...plan.programs].flatMap((place) => ["--ro-bind", place, place]),
    workspaceArguments(plan),
    ["--remount-ro", "/"],
    ["--chdir", plan.cwdRel === "" ? "/ws" : `/ws/${plan.cwdRel}`],
    ["--json-status-fd", String(plan.statusFd)],
    ["--", ...limitArguments(plan.limits)],
    ["--", ...plan.command],
  ].flat();
}

function environmentArguments(plan: BwrapPlan): readonly string[] {
  const environment = { ...sandboxEnvironment(plan.toolchains), ...plan.environment };
  return Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]);
}

function systemArguments(plan: BwrapPlan): readonly string[] {
  return [
    ["--ro-bind", "/usr", "/usr"],
    plan.layout.links.flatMap(({ path, target }) => ["--symlink", target, path]),
    plan.layout.directories.flatMap((path) => ["--ro-bind", path, path]),
    ["--dir", "/etc"],
    ["--ro-bind", `${plan.etcDir}/passwd`, "/etc/passwd"],
    ["--ro-bind", `${plan.etcDir}/group`, "/etc/group"],
    ETC_FROM_HOST.flatMap((path) => ["--ro-bind-try", path, path]),
  ].flat();
}

/** Every writable place besides the tree is a bounded file system of its own, so nothing can be renamed out. */
function deviceArguments(limits: SandboxLimits): readonly string[] {
  return [
    ["--proc", "/proc", "--dev", "/dev"],
    ["--size", String(limits.tmpBytes), "--tmpfs", "/dev/shm"],
    ["--remount-ro", "/dev"],
    ["--size", String(limits.tmpBytes), "--tmpfs", "/tmp"],
  ].flat();
}

function workspaceArguments(plan: BwrapPlan): readonly string[] {
  const { tree, git } = plan.workspace;
  const bind = plan.profile === "write" ? "--bind" : "--ro-bind";
  const own = [bind, tree, "/ws"];
  if (git === null) return own;
  // The git dir names the borrowed objects by their path on the host, so they appear under the same one.
  return [...own, "--ro-bind", git.gitDir, "/git", "--ro-bind", git.objects, git.objects];
}

/** Inside, because the limit on processes counts per user and user namespace. */
function limitArguments(limits: SandboxLimits): readonly string[] {
  return [
    "/usr/bin/prlimit",
    `--nproc=${limits.processes}`,
    `--nofile=${limits.openFiles}`,
    `--fsize=${limits.fileBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--data=${limits.dataBytes}`,
    "--core=0",
  ];
}
