/** What a sandbox can promise. Only what a canary has shown to hold counts. */
export const GUARANTEES = {
  env: "nothing of the executor's environment is visible",
  fs: "nothing outside the workspace can be written, and nothing secret read",
  killTree: "no process outlives its call",
  memTotal: "the memory of all processes together is bounded",
  net: "no network, not even the loopback of this machine",
  noNewPrivs: "no capability, no setuid, no nested user namespace",
  proc: "the executor's processes are invisible",
  rlimits: "files, descriptors and core dumps are bounded",
  seccomp: "dangerous system calls are refused",
} as const satisfies Record<string, string>;

export type Guarantee = keyof typeof GUARANTEES;

export const GUARANTEE_NAMES: readonly Guarantee[] = Object.keys(GUARANTEES).filter(isGuarantee);

function isGuarantee(name: string): name is Guarantee {
  return Object.hasOwn(GUARANTEES, name);
}

/** `read` and `mutate` stay in the executor's own process, behind the walk over held directories. */
export const REQUIRED_GUARANTEES = {
  read: [],
  mutate: [],
  command: ["env", "fs", "killTree", "net", "noNewPrivs", "proc", "rlimits", "seccomp"],
} as const satisfies Record<string, readonly Guarantee[]>;

export type ToolClass = keyof typeof REQUIRED_GUARANTEES;

/** Empty when the tool class may run; `null` stands for a machine without a sandbox. */
export function lacks(toolClass: ToolClass, sandbox: ProbedSandbox | null): readonly Guarantee[] {
  // Without a sandbox by the operator's own word, nothing is asked of one.
  if (sandbox?.backend.name === "none") return [];
  return missingGuarantees(toolClass, sandbox?.probe.held ?? new Set());
}

export interface ProbedSandbox {
  readonly backend: { readonly name: "bwrap" | "none" };
  readonly probe: { readonly held: ReadonlySet<Guarantee> };
}

/** What a tool class needs and was not shown to hold. */
export function missingGuarantees(toolClass: ToolClass, held: ReadonlySet<Guarantee>): readonly Guarantee[] {
  return REQUIRED_GUARANTEES[toolClass].filter((guarantee) => !held.has(guarantee));
}
