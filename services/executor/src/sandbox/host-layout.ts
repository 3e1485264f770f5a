import { lstat, readlink } from "node:fs/promises";

/** How this machine's root reaches /usr: on most, `/bin` and its kin are links into it. */
export interface HostLayout {
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly directories: readonly string[];
}

const ROOT_NAMES = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;

export async function readHostLayout(): Promise<HostLayout> {
  const links: { path: string; target: string }[] = [];
  const directories: string[] = [];
  for (const path of ROOT_NAMES) {
    const stats = await lstat(path).catch(() => null);
    if (stats?.isSymbolicLink()) links.push({ path, target: await readlink(path) });
    else if (stats?.isDirectory()) directories.push(path);
  }
  return { links, directories };
}
