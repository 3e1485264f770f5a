import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";

/**
 * Runs git for the executor itself. It reads no configuration but its own, runs no hook, asks nobody, and never gets
 * a git dir that a model could have written to: then none of git's ways to start other programs is reachable.
 */
export interface TrustedGit {
  run(args: readonly string[], signal: AbortSignal): Promise<string>;
}

const CONFIG = `[safe]
	directory = *
[core]
	hooksPath = /dev/null
	attributesFile = /dev/null
	fsmonitor = false
	protectHFS = true
	protectNTFS = true
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[protocol "file"]
	allow = always
[protocol "https"]
	allow = always
[protocol "ssh"]
	allow = always
[submodule]
	recurse = false
[http]
	followRedirects = false
`;

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** `home` is a directory of the executor's own; git's one configuration file is written there. */
export async function createTrustedGit(home: string, gitPath = "/usr/bin/git"): Promise<TrustedGit> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const environment = await trustedGitEnvironment(home);
  return { run: (args, signal) => runGit({ gitPath, environment, cwd: home }, args, signal) };
}

/**
 * The whole environment of a trusted git; writes its configuration into `home`. `include` is a configuration of the
 * operator's, with credentials, that holds besides.
 */
export async function trustedGitEnvironment(
  home: string,
  include = "",
): Promise<Readonly<Record<string, string>>> {
  const config = join(home, "gitconfig");
  const more = include === "" ? "" : `[include]\n\tpath = ${JSON.stringify(include)}\n`;
  await writeFile(config, more + CONFIG, { mode: 0o600 });
  return {
    GIT_ALLOW_PROTOCOL: "file:https:ssh",
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    // The operator's own configuration may name another one, with its key.
    ...(include === "" ? { GIT_SSH_COMMAND: "/usr/bin/ssh -o BatchMode=yes" } : {}),
    HOME: home,
    LC_ALL: "C",
    PATH: "/usr/local/bin:/usr/bin:/bin",
  };
}

interface GitProcess {
  readonly gitPath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
}

function runGit(git: GitProcess, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: git.cwd, env: git.environment, maxBuffer: MAX_OUTPUT_BYTES, signal };
    execFile(git.gitPath, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim());
      else if (signal.aborted) reject(error);
      else reject(gitFailed(args, stderr, error));
    });
  });
}

function gitFailed(args: readonly string[], stderr: string, cause: Error): AirlockError {
  const command = args.find((arg) => !arg.startsWith("-")) ?? "";
  const said = stderr.trim().split("\n").slice(-3).join("; ").slice(0, 400);
  return new AirlockError("WORKSPACE_UNAVAILABLE", `git ${command} failed: ${said}`, { cause });
}
