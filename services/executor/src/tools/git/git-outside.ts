// Runs git for a push: outside of every sandbox, because it needs the network and the operator's credentials, and over
// the run's git dir only, which nothing but the executor's own git commands ever wrote to. It never sees the tree.
import { spawn } from "node:child_process";
import { createOutputCollector, processMarker } from "../../sandbox/index.ts";
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

/** What git says on stderr may name addresses and credentials, so nobody reads it. */
export async function gitOutside(
  git: OutsideGit,
  args: readonly string[],
  signal: AbortSignal,
): Promise<OutsideResult> {
  const env = await trustedGitEnvironment(git.home, git.credentials);
  const stdout = createOutputCollector(MAX_OUTPUT_BYTES);
  return new Promise((resolve) => {
    const child = spawn("/usr/bin/git", [`--git-dir=${git.gitDir}`, ...args], {
      argv0: processMarker(git.name),
      cwd: git.home,
      env,
      signal,
      killSignal: "SIGKILL",
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    const settle = (code: number | null): void => {
      const { head, tail } = stdout.finish();
      resolve({ code, stdout: Buffer.concat([head, tail]).toString() });
    };
    child.once("error", () => settle(null));
    child.once("close", (code) => settle(code));
  });
}
