import type { SandboxLimits, SandboxProfile, SandboxWorkspace } from "./backend.ts";
import { CACHE_PLACE, prepareEnvironment, sandboxEnvironment } from "./environment.ts";
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
  /** Where bubblewrap reads its filter of system calls; null where this architecture has none. */
  readonly seccompFd: number | null;
  /** Where bubblewrap waits before it starts the program, until its processes are in their group; null: it doesn't wait. */
  readonly blockFd: number | null;
  /** The first is an absolute path from the executor's own table. */
  readonly command: readonly string[];
}

/** What each profile may change, and whether it has a network. */
const PROFILES = {
  read: { tree: "--ro-bind", git: "--ro-bind", cache: null, network: false },
  write: { tree: "--bind", git: "--ro-bind", cache: null, network: false },
  git: { tree: "--ro-bind", git: "--bind", cache: null, network: false },
  prepare: { tree: "--bind", git: "--ro-bind", cache: "--bind", network: true },
} as const satisfies Record<SandboxProfile, ProfileRights>;

interface ProfileRights {
  readonly tree: "--bind" | "--ro-bind";
  /** but never its configuration */
  readonly git: "--bind" | "--ro-bind";
  /** null: it isn't there */
  readonly cache: "--bind" | null;
  readonly network: boolean;
}

export function hasNetwork(profile: SandboxProfile): boolean {
  return PROFILES[profile].network;
}

const ISOLATION = [
  ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ["--unshare-cgroup-try", "--disable-userns"],
  ["--cap-drop", "ALL"],
  ["--die-with-parent", "--new-session"],
  ["--hostname", "sandbox"],
  ["--clearenv"],
].flat();

const ETC_FROM_HOST = ["/etc/alternatives", "/etc/ssl/certs", "/etc/ld.so.cache"] as const;
/** How names become addresses. */
const ETC_FOR_NETWORK = ["/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf"] as const;

export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  return [
    ISOLATION,
    hasNetwork(plan.profile) ? [] : ["--unshare-net"],
    environmentArguments(plan),
    systemArguments(plan),
    deviceArguments(plan.limits),
    [...plan.toolchains, ...plan.programs].flatMap((place) => ["--ro-bind", place, place]),
    workspaceArguments(plan),
    ["--remount-ro", "/"],
    ["--chdir", plan.cwdRel === "" ? "/ws" : `/ws/${plan.cwdRel}`],
    plan.seccompFd === null ? [] : ["--seccomp", String(plan.seccompFd)],
    ["--json-status-fd", String(plan.statusFd)],
    plan.blockFd === null ? [] : ["--block-fd", String(plan.blockFd)],
    ["--", ...limitArguments(plan.limits)],
    ["--", ...plan.command],
  ].flat();
}

function environmentArguments(plan: BwrapPlan): readonly string[] {
  const { profile, toolchains } = plan;
  const own = profile === "prepare" ? prepareEnvironment(toolchains) : sandboxEnvironment(toolchains);
  return Object.entries({ ...own, ...plan.environment }).flatMap(([name, value]) => [
    "--setenv",
    name,
    value,
  ]);
}

function systemArguments(plan: BwrapPlan): readonly string[] {
  return [
    ["--ro-bind", "/usr", "/usr"],
    plan.layout.links.flatMap(({ path, target }) => ["--symlink", target, path]),
    plan.layout.directories.flatMap((path) => ["--ro-bind", path, path]),
    ["--dir", "/etc"],
    ["--ro-bind", `${plan.etcDir}/passwd`, "/etc/passwd"],
    ["--ro-bind", `${plan.etcDir}/group`, "/etc/group"],
    etcFromHost(plan.profile).flatMap((path) => ["--ro-bind-try", path, path]),
  ].flat();
}

function etcFromHost(profile: SandboxProfile): readonly string[] {
  return hasNetwork(profile) ? [...ETC_FROM_HOST, ...ETC_FOR_NETWORK] : ETC_FROM_HOST;
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
  const { tree, git, cache = null } = plan.workspace;
  const rights = PROFILES[plan.profile];
  const own: string[] = [rights.tree, tree, "/ws"];
  if (rights.cache !== null && cache !== null) own.push(rights.cache, cache, CACHE_PLACE);
  if (git === null) return own;
  // The git dir names the borrowed objects by their path on the host, so they appear under the same one.
  own.push(rights.git, git.gitDir, "/git");
  if (rights.git === "--bind") own.push("--ro-bind", `${git.gitDir}/config`, "/git/config");
  own.push("--ro-bind", git.objects, git.objects);
  return own;
}

/** Inside, because the limit on processes counts per user and user namespace. */
export function limitArguments(limits: SandboxLimits): readonly string[] {
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
