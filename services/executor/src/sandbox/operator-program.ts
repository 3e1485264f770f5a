// Takes the first word of an operator tool's command, gives the program that runs: a name is looked up in the executor's
// table; a path must be absolute, a program, outside every workspace, and nobody else's to change.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import type { OperatorProgram } from "./backend.ts";
import { isShown, resolveCommand } from "./command-table.ts";

export interface ProgramPlaces {
  readonly toolchains: readonly string[];
  /** Where agents may write; a program there would be theirs. */
  readonly volume: string;
}

export type ResolvedProgram =
  | { readonly ok: true; readonly program: OperatorProgram }
  | { readonly ok: false; readonly detail: string };

/** The sandbox mounts something of its own here. */
const SANDBOX_PLACES = ["/ws", "/git", "/proc", "/dev", "/etc"] as const;

const WRITABLE_BY_OTHERS = 0o022;

export async function resolveProgram(word: string, places: ProgramPlaces): Promise<ResolvedProgram> {
  if (!word.includes("/")) {
    const found = await resolveCommand(word, places.toolchains);
    return found.ok ? { ok: true, program: { path: found.path, hidden: false } } : found;
  }
  if (!isAbsolute(word)) return refused("name a program, or give its absolute path");
  try {
    const path = await realpath(word);
    const volume = await realpath(places.volume).catch(() => places.volume);
    if (isBelow(path, volume)) return refused("it lies where agents may write (AIRLOCK_VOLUME)");
    if (SANDBOX_PLACES.some((place) => isBelow(path, place))) {
      return refused("the sandbox has something else in this place; put it elsewhere");
    }
    const { mode, isFile } = await facts(path);
    if (!isFile) return refused("it is no file");
    if ((mode & WRITABLE_BY_OTHERS) !== 0) return refused(`others may change it; run: chmod go-w ${path}`);
    await access(path, constants.X_OK);
    return { ok: true, program: { path, hidden: !isShown(path, places.toolchains) } };
  } catch (error) {
    return refused(REASONS.get(codeOf(error)) ?? `it can't be looked at (${codeOf(error)})`);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "the executor can't run it; check the rights of the file and its folders"],
]);

async function facts(path: string): Promise<{ readonly mode: number; readonly isFile: boolean }> {
  const stats = await stat(path);
  return { mode: stats.mode, isFile: stats.isFile() };
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function refused(detail: string): ResolvedProgram {
  return { ok: false, detail };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
