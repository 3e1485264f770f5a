// Runs git for a push: outside of every sandbox, because it needs the network and the operator's credentials, and over
// a git dir of the executor's own, which borrows the run's objects. It never sees the run's git dir itself, nor the tree.
import { spawn } from "node:child_process";
import { createOutputCollector, killMarked, MARK_VARIABLE, processMarker } from "../../sandbox/index.ts";
import { trustedGitEnvironment } from "../../workspace/index.ts";

export interface OutsideGit {
  /** The executor's own folder, for git's configuration. */
  readonly home: string;
  /** The operator's file with credential helpers, or empty. */
  readonly credentials: string;
  readonly gitDir: string;
  /** Under this name a later process finds and ends what an earlier one left. */
  readonly name: string;
}

export interface OutsideResult {
  /** null where it was stopped */
  readonly code: number | null;
  readonly stdout: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Stopped, it settles once git and all that it started (ssh, transport programs) are seen dead, as far as this machine
 * goes. What git says on stderr may name addresses and credentials, so nobody reads it.
 */
export async function gitOutside(
  git: OutsideGit,
  args: readonly string[],
  signal: AbortSignal,
): Promise<OutsideResult> {
  const env = await trustedGitEnvironment(git.home, git.credentials);
  if (signal.aborted) return { code: null, stdout: "" };
  const marker = processMarker(git.name);
  const stdout = createOutputCollector(MAX_OUTPUT_BYTES);
  const child = spawn("/usr/bin/git", [`--git-dir=${git.gitDir}`, ...args], {
    cwd: git.home,
    env: { ...env, [MARK_VARIABLE]: marker },
    stdio: ["ignore", "pipe", "ignore"],
    // a group of its own, which one signal ends
    detached: true,
  });
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  const stop = (): void => {
    killGroup(child.pid);
    void killMarked(marker);
  };
  signal.addEventListener("abort", stop, { once: true });
  const code = await ended;
  signal.removeEventListener("abort", stop);
  if (signal.aborted) await killMarked(marker);
  const { head, tail } = stdout.finish();
  return { code, stdout: Buffer.concat([head, tail]).toString() };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}
