import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { binDirs } from "./environment.ts";

export type ResolvedCommand =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly detail: string };

/**
 * A program's bare name in, its absolute path out. Only the fixed directories and the operator's toolchains are
 * searched, so neither the workspace nor an environment variable decides what runs.
 */
export async function resolveCommand(name: string, toolchains: readonly string[]): Promise<ResolvedCommand> {
  if (name === "" || name.includes("\0")) return { ok: false, detail: "the program has no name" };
  if (name.includes("/")) {
    const hint = "name a program, and pass scripts as arguments, such as `bash` `./script.sh`";
    return { ok: false, detail: `a program's name can't hold a slash; ${hint}` };
  }
  for (const dir of binDirs(toolchains)) {
    const path = join(dir, name);
    if (await isVisibleProgram(path, toolchains)) return { ok: true, path };
  }
  return { ok: false, detail: "no program of this name is installed" };
}

/** Whether every sandbox sees this path, with its links resolved. */
export function isShown(target: string, toolchains: readonly string[]): boolean {
  return ["/usr", "/bin", ...toolchains].some((root) => target.startsWith(`${root}/`));
}

async function isVisibleProgram(path: string, toolchains: readonly string[]): Promise<boolean> {
  try {
    const target = await realpath(path);
    if (!isShown(target, toolchains)) return false;
    await access(target, constants.X_OK);
    return (await stat(target)).isFile();
  } catch {
    // Absent, dangling or not executable for us: in each case there is no such program here.
    return false;
  }
}
