import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { ensureKeySet, keyFilesTogether } from "../keys/index.ts";
import type { DataPaths } from "./data-paths.ts";

const PRIVATE_FOLDER = 0o700;
/** Sandboxed commands of a root executor run as another user, who passes through to the workspaces and sees no names. */
const PASSABLE_FOLDER = 0o711;

/** Makes the folder and, on its first use, keys. Keys that exist are checked, never replaced. */
export function prepareDataFolder(paths: DataPaths, root: boolean): void {
  try {
    mkdirSync(paths.data, { recursive: true });
    chmodSync(paths.data, root ? PASSABLE_FOLDER : PRIVATE_FOLDER);
    for (const folder of [paths.keys, paths.redis, paths.logs]) {
      mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    }
    mkdirSync(paths.volume, { recursive: true });
    chmodSync(paths.volume, root ? PASSABLE_FOLDER : PRIVATE_FOLDER);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AirlockError("CONFIG_INVALID", `the data folder ${paths.data} can't be made: ${reason}`, {
      cause,
    });
  }
  ensureKeySet(keyFilesTogether(paths.keys));
}

/** The first folder on the way to `place` that a user without rights of their own can't pass, or null. */
export function firstClosedFolder(place: string): string | null {
  for (let at = place; ; at = path.dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return at;
    if (at === path.dirname(at)) return null;
  }
}
