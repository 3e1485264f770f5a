import type { CappedOutput } from "./capped-output.ts";
import type { Guarantee } from "./guarantees.ts";

/**
 * What is writable: the tree (`write`), nothing (`read`), or the git dir without its configuration (`git`), in which only
 * the executor's own git commands run. `prepare` has a writable tree, the network and a writable cache, and is for what the
 * operator runs before an agent's first call. Everything else is the same.
 */
export type SandboxProfile = "read" | "write" | "git" | "prepare";

/** What a session may see. All are the executor's own paths; none lies inside another's tree. */
export interface SandboxWorkspace {
  readonly tree: string;
  readonly git: { readonly gitDir: string; readonly objects: string } | null;
  /** For `prepare` alone; belongs to the user that the sandbox runs as, and lies in no agent's tree. */
  readonly cache?: string;
}

export interface SandboxLimits {
  /** Per stream; a call that writes four times as much in all is killed. */
  readonly outputBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  readonly fileBytes: number;
  readonly cpuSeconds: number;
  /** Of each process. */
  readonly dataBytes: number;
  /** Of all processes together, where the executor has a cgroup for its calls. */
  readonly memoryBytes: number;
  readonly tmpBytes: number;
}

export interface SandboxRequest {
  /** Item key and fence: under this name a later process finds what an earlier one left. */
  readonly name: string;
  /** Asked at the last moment before anything starts. */
  readonly fenceHolds: () => Promise<boolean>;
  readonly argv: readonly string[];
  /**
   * The operator's own program in place of what `argv[0]` names: an absolute path, which a sandbox that doesn't have
   * it anyway sees read-only.
   */
  readonly program?: OperatorProgram;
  /** Left out: there is nothing to read. */
  readonly stdin?: Uint8Array;
  /** Beside the sandbox's own; a name that it has already is the caller's from here on. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwdRel: string;
  readonly profile: SandboxProfile;
  readonly timeoutMs: number;
}

export interface OperatorProgram {
  readonly path: string;
  /** Whether it has to be shown to the sandbox. */
  readonly hidden: boolean;
}

interface Ran {
  readonly stdout: CappedOutput;
  readonly stderr: CappedOutput;
  readonly durationMs: number;
}

export type SandboxResult =
  | (Ran & { readonly kind: "exited"; readonly code: number })
  | (Ran & { readonly kind: "timeout" | "cancelled" | "output_limit" })
  | { readonly kind: "command_not_found"; readonly detail: string }
  | { readonly kind: "path_refused"; readonly detail: string }
  | { readonly kind: "fence_lost" }
  /** Nothing that ran was the tool; `reason` is the sandbox's own word, never tool output. */
  | { readonly kind: "sandbox_failed"; readonly reason: string }
  /** It may have run, and its end was not seen. */
  | { readonly kind: "unknown"; readonly reason: string };

export type BackendName = "bwrap" | "none";

export interface SandboxSession {
  /** What stands in the ledger entry of each call that this session ran. */
  readonly backend: BackendName;
  exec(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult>;
  /** Kills what this session still runs. */
  close(): Promise<void>;
}

export interface ProbeReport {
  readonly held: ReadonlySet<Guarantee>;
  /** One sentence for each guarantee that does not hold. */
  readonly detail: Readonly<Partial<Record<Guarantee, string>>>;
}

export interface SandboxBackend {
  readonly name: BackendName;
  probe(signal: AbortSignal): Promise<ProbeReport>;
  open(workspace: SandboxWorkspace, limits: SandboxLimits): Promise<SandboxSession>;
  /** Kills what any process left under this name; false: not seen dead. */
  kill(name: string): Promise<boolean>;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  outputBytes: 256 * 1024,
  processes: 128,
  openFiles: 512,
  fileBytes: 64 * 1024 * 1024,
  cpuSeconds: 600,
  dataBytes: 4 * 1024 * 1024 * 1024,
  memoryBytes: 4 * 1024 * 1024 * 1024,
  tmpBytes: 64 * 1024 * 1024,
};
