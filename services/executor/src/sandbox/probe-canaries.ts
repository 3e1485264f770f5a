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
(exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && say net open || say net closed
say environment "$(env | sed 's/=.*//' | tr '\\n' ' ')"
say init_environment "$(tr '\\0' ' ' < /proc/1/environ 2>/dev/null)"
unshare --user --map-root-user true 2>/dev/null && say userns open || say userns closed
command -v unshare >/dev/null && say unshare present
for field in CapEff CapPrm CapBnd NoNewPrivs; do
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

export interface CanaryEvidence {
  readonly output: string;
  readonly environmentNames: readonly string[];
  readonly connections: number;
  readonly written: boolean;
  readonly executorEnvironment: string;
  readonly daemonStarted: boolean;
  readonly daemonAlive: boolean;
  readonly limits: SandboxLimits;
}

type Findings = ReadonlyMap<string, string>;
type Canary = (findings: Findings, evidence: CanaryEvidence) => boolean;

const NO_CAPABILITY = /^0+$/;

/** What must be true for each guarantee, and what to say where it isn't. `null`: there is no canary yet. */
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
  memTotal: null,
  net: {
    holds: (f, e) => f.get("net") === "closed" && e.connections === 0,
    broken: "a listener on this machine can be reached",
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
  seccomp: null,
} as const satisfies Record<Guarantee, { readonly holds: Canary; readonly broken: string } | null>;

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
    if (canary === null) detail[name] = "not provided by this backend";
    else if (!findings.has("done")) detail[name] = "the canaries did not finish";
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
