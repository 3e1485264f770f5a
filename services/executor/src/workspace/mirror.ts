import { rename, rm, stat } from "node:fs/promises";
import { AirlockError } from "@airlock/core/fault";
import { errnoCode } from "./held-directory.ts";
import type { TrustedGit } from "./trusted-git.ts";

/**
 * The bare mirror of a source that all its runs share. Each preparation fetches into a ref of its own, so that
 * concurrent ones never wait for the same lock, and no object that a run borrows can become unreachable.
 */
export interface MirrorRequest {
  readonly mirror: string;
  readonly source: string;
  readonly ref: string;
  /** names this preparation alone: two executors may prepare one run at once */
  readonly builder: string;
}

const REF = /^(?:HEAD|[A-Za-z0-9][A-Za-z0-9._/+@-]{0,199})$/;

/** Only what the source has committed arrives. Returns the commit. */
export async function fetchRevision(
  git: TrustedGit,
  request: MirrorRequest,
  signal: AbortSignal,
): Promise<string> {
  assertFetchable(request);
  await ensureMirror(git, request, signal);
  const target = `refs/airlock/${request.builder}`;
  const dir = `--git-dir=${request.mirror}`;
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  await git.run([dir, "fetch", ...options, request.source, `+${request.ref}:${target}`], signal);
  return git.run([dir, "rev-parse", "--verify", "--quiet", `${target}^{commit}`], signal);
}

function assertFetchable(request: MirrorRequest): void {
  const ref = request.ref;
  if (!REF.test(ref) || ref.includes("..") || ref.includes("@{")) {
    throw new AirlockError("WORKSPACE_UNAVAILABLE", "ref must be a branch, a tag or a full commit id");
  }
  if (!/^(?:\/|https:\/\/|ssh:\/\/)/.test(request.source)) {
    throw new AirlockError(
      "WORKSPACE_UNAVAILABLE",
      "source must be an absolute path, or an https or ssh URL",
    );
  }
}

async function ensureMirror(git: TrustedGit, request: MirrorRequest, signal: AbortSignal): Promise<void> {
  if (await exists(request.mirror)) return;
  const building = `${request.mirror}.building-${request.builder}`;
  // Readable whatever the umask: the sandbox borrows the objects under another uid; the parent directory is closed.
  const options = ["--quiet", "--bare", "--template=", "--shared=0644"];
  await git.run(["init", ...options, building], signal);
  await rename(building, request.mirror).catch(async (error: unknown) => {
    const lostRace = errnoCode(error) === "ENOTEMPTY" || errnoCode(error) === "EEXIST";
    await rm(building, { recursive: true, force: true });
    if (!lostRace) throw error;
  });
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}
