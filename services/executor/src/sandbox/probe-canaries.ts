import type { ProbeReport, SandboxLimits } from "./backend.ts";
import { GUARANTEE_NAMES, type Guarantee } from "./guarantees.ts";

/** Arguments: the directory of the canaries, the listener's port. Each line of output is one finding. */
export const PROBE_SCRIPT = `
say() { printf '%s=%s\\n' "$1" "$2"; }
root=$1 port=$2
(echo broken > "$root/outside") 2>/dev/null; (echo broken > "$root/new") 2>/dev/null
(echo inside > /ws/inside) 2>/dev/null && say tree writable || say tree readonly
(echo x > /usr/airlock) 2>/dev/null && say usr writable || say usr readonly
say secret "$(cat "$root/secret" 2>/dev/null)"
(exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/tmp/socket && say net open || say net closed
say socket "$(grep -c 'socket: Operation not permitted' /tmp/socket)"
say namespace "$(readlink /proc/self/ns/net)"
say environment "$(env | sed 's/=.*//' | tr '\\n' ' ')"
say init_environment "$(tr '\\0' ' ' < /proc/1/environ 2>/dev/null)"
unshare --user --map-root-user true 2>/tmp/unshare && say userns open || say userns closed
say unsharing "$(grep -c 'Operation not permitted' /tmp/unshare)"
command -v unshare >/dev/null && say unshare present
for field in CapEff CapPrm CapBnd NoNewPrivs Seccomp; do
  say "$field" "$(sed -n "s/^$field:[[:space:]]*//p" /proc/self/status)"
done
say environments "$(sha256sum /proc/[0-9]*/environ 2>/dev/null | cut -d' ' -f1 | tr '\\n' ' ')"
readlink /proc/$$/fd/[3-9] /proc/$$/fd/[1-9][0-9]* > /tmp/descriptors 2>/dev/null
say descriptors "checked $(grep -v '^/dev/null$' /tmp/descriptors | tr '\\n' ' ')"
say openFiles "$(ulimit -n)"; say processes "$(ulimit -u)"; say core "$(ulimit -c)"
say done yes
`;

/** Leaves a process of its own session behind; its argument makes it findable from outside. */
export const DAEMON_SCRIPT = `setsid bash -c 'sleep 300; :' "$1" >/dev/null 2>&1 </dev/null & echo started`;

export const HELD = "all of it at once";
export const HOLD_WITHIN_BYTES = 48 * 1024 * 1024;

/** Eight processes that hold 12 MB each, every one while it waits for the next. */
export const HOLD_SCRIPT = `
hold() {
  local own; own=$(head -c 12000000 /dev/zero | tr '\\0' x)
  if [ "$1" -gt 1 ]; then (hold $(($1 - 1))); else echo ${HELD}; fi
  [ "\${#own}" -gt 0 ]
}
hold 8
`;

export interface CanaryEvidence {
  readonly output: string;
  readonly environmentNames: readonly string[];
  readonly connections: number;
  /** The executor's own, as the kernel names it. */
  readonly networkNamespace: string;
  readonly written: boolean;
  readonly executorEnvironment: string;
  readonly daemonStarted: boolean;
  readonly daemonAlive: boolean;
  readonly memoryBounded: boolean;
  readonly limits: SandboxLimits;
}

type Findings = ReadonlyMap<string, string>;
type Canary = (findings: Findings, evidence: CanaryEvidence) => boolean;

const NO_CAPABILITY = /^0+$/;
/** That a filter is in force, in /proc/self/status. */
const SECCOMP_FILTERS = "2";

/** What must be true for each guarantee, and what to say where it isn't. */
const CANARIES = {
  env: {
    holds: (f, e) => f.get("init_environment") === "" && onlyNames(f.get("environment") ?? "", e),
    broken: "the environment of the sandbox's starter is visible inside",
  },
  fs: {
    holds: (f, e) =>
      !e.written && f.get("secret") === "" && f.get("usr") === "readonly" && f.get("tree") === "writable",
    broken: "something outside the workspace can be read or written, or the workspace can't",
  },
  killTree: {
    holds: (_, e) => e.daemonStarted && !e.daemonAlive,
    broken: "a process outlived its call",
  },
  memTotal: {
    holds: (_, e) => e.memoryBounded,
    broken:
      "the memory of all processes together is bounded only by the limit of the executor's own container (AIRLOCK_CGROUP)",
  },
  net: {
    // The filter refuses a socket before the namespace could: so that it is another one is looked at by itself.
    holds: (f, e) =>
      f.get("net") === "closed" && e.connections === 0 && isOtherNamespace(f.get("namespace") ?? "", e),
    broken: "a listener on this machine can be reached, or the network of this machine is visible",
  },
  noNewPrivs: {
    holds: (f) =>
      f.get("NoNewPrivs") === "1" &&
      ["CapEff", "CapPrm", "CapBnd"].every((name) => NO_CAPABILITY.test(f.get(name) ?? "")) &&
      f.get("userns") === "closed" &&
      f.get("unshare") === "present",
    broken: "a capability, setuid or a nested user namespace is possible",
  },
  proc: {
    holds: (f, e) =>
      f.get("descriptors")?.trim() === "checked" &&
      (f.get("environments") ?? "") !== "" &&
      !f.get("environments")?.includes(e.executorEnvironment),
    broken: "the environment of the executor, or what it holds open, can be read",
  },
  rlimits: {
    holds: (f, { limits }) =>
      f.get("openFiles") === String(limits.openFiles) &&
      f.get("processes") === String(limits.processes) &&
      f.get("core") === "0",
    broken: "the resource limits are not in force",
  },
  seccomp: {
    // Two refusals that are the filter's own: without it the first says "refused" and the second "no space left".
    holds: (f) =>
      f.get("Seccomp") === SECCOMP_FILTERS && f.get("socket") === "1" && f.get("unsharing") === "1",
    broken: "no filter of system calls is in force: this architecture has none, or bubblewrap didn't load it",
  },
} as const satisfies Record<Guarantee, { readonly holds: Canary; readonly broken: string }>;

function isOtherNamespace(seen: string, evidence: CanaryEvidence): boolean {
  return /^net:\[\d+\]$/.test(seen) && seen !== evidence.networkNamespace;
}

/** What bash itself adds. */
const SHELL_NAMES = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

function onlyNames(seen: string, evidence: CanaryEvidence): boolean {
  const names = seen.split(" ").filter((name) => name !== "");
  return (
    names.length > 0 &&
    names.every((name) => SHELL_NAMES.has(name) || evidence.environmentNames.includes(name))
  );
}

export function judgeCanaries(evidence: CanaryEvidence): ProbeReport {
  const findings = readFindings(evidence.output);
  const held = new Set<Guarantee>();
  const detail: Partial<Record<Guarantee, string>> = {};
  for (const name of GUARANTEE_NAMES) {
    const canary = CANARIES[name];
    if (!findings.has("done")) detail[name] = "the canaries did not finish";
    else if (canary.holds(findings, evidence)) held.add(name);
    else detail[name] = canary.broken;
  }
  return { held, detail };
}

function readFindings(output: string): Findings {
  const findings = new Map<string, string>();
  for (const line of output.split("\n")) {
    const at = line.indexOf("=");
    if (at > 0) findings.set(line.slice(0, at), line.slice(at + 1));
  }
  return findings;
}
