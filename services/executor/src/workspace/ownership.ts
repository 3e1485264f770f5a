import { access, chmod, lchown, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { ServiceUser } from "./service-user.ts";

/**
 * Directories that the executor makes are its own; the service user, if there is one, may pass through (by its
 * group) and see nothing else.
 */
export async function makePrivateDirectory(path: string, user: ServiceUser | null): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user === null) return;
  await lchown(path, 0, user.gid);
  await chmod(path, 0o710);
}

/** Gives a tree away. Only for a tree that nobody else can write to yet: it looks names up twice. */
export async function giveTree(path: string, user: ServiceUser): Promise<void> {
  await lchown(path, user.uid, user.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, user);
    else await lchown(child, user.uid, user.gid);
  }
}

const OTHERS_EXECUTE = 0o001;
const GROUP_EXECUTE = 0o010;

/** A directory above `path` that the service user can't pass makes every sandbox fail later; say it now. */
export async function assertReachable(path: string, user: ServiceUser | null): Promise<void> {
  if (user === null) return access(path);
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const byGroup = gid === user.gid && (mode & GROUP_EXECUTE) !== 0;
    if ((mode & OTHERS_EXECUTE) === 0 && !byGroup && uid !== user.uid) throw unreachable(at, user);
    if (at === dirname(at)) return;
  }
}

function unreachable(path: string, user: ServiceUser): AirlockError {
  const fix = `choose a volume elsewhere, such as under /var/lib or /tmp, or allow passing through it`;
  return new AirlockError("WORKSPACE_UNAVAILABLE", `uid ${user.uid} can't pass through ${path}; ${fix}`);
}
