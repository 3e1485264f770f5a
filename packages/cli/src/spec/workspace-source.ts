import { realpathSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";

/** A URL stays as it is; a path becomes the real one, seen from `folder`. `where` names the file or flag. */
export function workspaceSource(source: string, folder: string, where: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return source;
  const wanted = path.resolve(folder, source);
  try {
    return realpathSync(wanted);
  } catch (cause) {
    throw new AirlockError("SPEC_INVALID", `${where}: there is nothing at ${wanted}`, { cause });
  }
}
