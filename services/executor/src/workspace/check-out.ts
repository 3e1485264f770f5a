import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TrustedGit } from "./trusted-git.ts";
import type { WorkspacePlaces } from "./workspace-places.ts";

export interface CheckOut {
  readonly git: TrustedGit;
  readonly places: WorkspacePlaces;
  readonly mirror: string;
  readonly baseRevision: string;
}

/** A tree and its git dir at a commit of the mirror, whose objects it borrows. */
export async function checkOut(request: CheckOut, signal: AbortSignal): Promise<void> {
  const { git, places, mirror, baseRevision } = request;
  const init = ["init", "--quiet", "--template=", "--shared=0644", `--separate-git-dir=${places.gitDir}`];
  await git.run([...init, places.tree], signal);
  await chmod(places.tree, 0o755);
  await mkdir(join(places.gitDir, "objects", "info"), { recursive: true });
  await writeFile(join(places.gitDir, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
  const inside = inTree(places);
  await git.run([...inside, "config", "core.checkStat", "minimal"], signal);
  await git.run([...inside, "symbolic-ref", "HEAD", "refs/heads/airlock"], signal);
  await git.run([...inside, "reset", "--quiet", "--hard", baseRevision], signal);
  // Meaningful only in the sandbox, where the git dir is mounted read-only under this name.
  await writeFile(join(places.tree, ".git"), "gitdir: /git\n");
}

export function inTree(places: WorkspacePlaces): readonly string[] {
  return [`--git-dir=${places.gitDir}`, `--work-tree=${places.tree}`];
}
