import { realpathSync } from "node:fs";
import path from "node:path";
import { AirlockError } from "@airlock/core/fault";

/** Where a source's path is seen from; null: it is one of another machine's. */
export type SourceFolder = string | null;

/** A URL stays as it is; a path becomes the real one, seen from `folder`. `where` names the file or flag. */
export function workspaceSource(source: string, folder: SourceFolder, where: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return source;
  if (folder === null) {
    if (path.isAbsolute(source)) return source;
    throw new AirlockError(
      "SPEC_INVALID",
      `${where}: with AIRLOCK_URL the source is a URL, or an absolute path of the installation's, not ${source}`,
    );
  }
  const wanted = path.resolve(folder, source);
  try {
    return realpathSync(wanted);
  } catch (cause) {
    throw new AirlockError("SPEC_INVALID", `${where}: there is nothing at ${wanted}`, { cause });
  }
}
