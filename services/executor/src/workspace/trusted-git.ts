import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { z } from "zod";

/**
 * Runs git for the executor itself. It reads no configuration but its own, runs no hook, asks nobody, and never gets
 * a git dir that a model could have written to: then none of git's ways to start other programs is reachable.
 */
export interface TrustedGit {
  run(args: readonly string[], signal: AbortSignal): Promise<string>;
  /** For output of any size, and for commands that go on after an error: how each ended is the caller's to judge. */
  read(args: readonly string[], options: GitReading, signal: AbortSignal): Promise<GitOutput>;
}

export interface GitReading {
  /** How much of stdout is kept; the rest is only counted. */
  readonly maxBytes: number;
  readonly stdin?: string | Uint8Array;
}

export interface GitOutput {
  readonly code: number;
  readonly head: Buffer;
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly complaints: string;
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
[advice]
	addEmbeddedRepo = false
`;

const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMPLAINT_BYTES = 16 * 1024;

/** `home` is a directory of the executor's own; git's one configuration file is written there. */
export async function createTrustedGit(
  home: string,
  given: { readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<TrustedGit> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const environment = { ...(await trustedGitEnvironment(home)), ...given.environment };
  const git = { gitPath: "/usr/bin/git", environment, cwd: home };
  return {
    run: (args, signal) => runGit(git, args, signal),
    read: (args, options, signal) => readGit(git, { args, ...options }, signal),
  };
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

async function readGit(
  { gitPath, environment, cwd }: GitProcess,
  { args, maxBytes, stdin = "" }: GitReading & { readonly args: readonly string[] },
  signal: AbortSignal,
): Promise<GitOutput> {
  const child = spawn(gitPath, args, { cwd, env: environment, signal });
  const kept = keepHead(maxBytes);
  const complaints = keepHead(MAX_COMPLAINT_BYTES);
  child.stdout.on("data", (chunk: Buffer) => kept.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  child.stdin.on("error", () => undefined); // git may end before it has read all; its exit code says why
  child.stdin.end(stdin);
  const [code] = z.tuple([z.number().nullable()], z.unknown()).parse(await once(child, "close"));
  return {
    code: code ?? -1,
    head: kept.head(),
    ...kept.totals(),
    complaints: complaints.head().toString(),
  };
}

function keepHead(maxBytes: number) {
  const chunks: Buffer[] = [];
  let keptBytes = 0;
  let totalBytes = 0;
  let totalLines = 0;
  return {
    push(chunk: Buffer): void {
      totalBytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) totalLines += 1;
      const part = chunk.subarray(0, Math.max(0, maxBytes - keptBytes));
      keptBytes += part.length;
      if (part.length > 0) chunks.push(part);
    },
    head: () => Buffer.concat(chunks),
    totals: () => ({ totalBytes, totalLines }),
  };
}

function gitFailed(args: readonly string[], stderr: string, cause: Error): AirlockError {
  const valued = ["-C", "-c"];
  const command = args.find((arg, at) => !arg.startsWith("-") && !valued.includes(args[at - 1] ?? "")) ?? "";
  const said = stderr.trim().split("\n").slice(-3).join("; ").slice(0, 400);
  return new AirlockError("WORKSPACE_UNAVAILABLE", `git ${command} failed: ${said}`, { cause });
}
