import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { closingAfter, holdDirectory, openRoot } from "./held-directory.ts";
import { exists } from "./mirror.ts";
import type { ServiceUser } from "./service-user.ts";

/**
 * Copies prepared folders into a fresh tree, each run its own: what one changes no other sees. Returns those that there are.
 * Refuses a folder that the repository holds something of.
 */
export async function placeFolders(
  prepared: string,
  target: {
    readonly tree: string;
    readonly folders: readonly string[];
    readonly serviceUser: ServiceUser | null;
  },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const placed: string[] = [];
  for (const [number, folder] of target.folders.entries()) {
    const from = join(prepared, String(number));
    if (!(await exists(from))) continue;
    await placeFolder(from, { ...target, folder }, signal);
    placed.push(folder);
  }
  return placed;
}

async function placeFolder(
  from: string,
  to: { readonly tree: string; readonly folder: string; readonly serviceUser: ServiceUser | null },
  signal: AbortSignal,
): Promise<void> {
  const components = to.folder.split("/");
  const root = await openRoot(to.tree);
  const walk = { root, components: components.slice(0, -1), create: { owner: to.serviceUser } };
  const parent = await closingAfter(root, holdDirectory(walk));
  if (!parent.ok) throw unplaced(to.folder, parent.detail);
  const { handle } = parent;
  // `cp` names the folder by the descriptor that it is handed: no link of the repository leads it elsewhere.
  const place = `/proc/self/fd/3/${components.at(-1) ?? ""}`;
  const copy = async (): Promise<number> => {
    if (await exists(`/proc/self/fd/${handle.fd}/${components.at(-1) ?? ""}`)) {
      throw unplaced(to.folder, "the repository itself holds something there");
    }
    const args = ["--archive", "--no-target-directory", "--reflink=auto", "--", from, place];
    const stdio = ["ignore", "ignore", "ignore", handle.fd] as const;
    const child = spawn("/bin/cp", args, { cwd: "/", env: {}, stdio: [...stdio], signal });
    await once(child, "exit");
    return child.exitCode ?? -1;
  };
  if ((await closingAfter(handle, copy())) !== 0)
    throw unplaced(to.folder, "it can't be copied; is the volume full?");
}

function unplaced(folder: string, why: string): AirlockError {
  return new AirlockError("WORKSPACE_UNAVAILABLE", `prepare.folders names ${folder}: ${why}`);
}
