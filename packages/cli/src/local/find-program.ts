import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** The first of the names that is a program on the search path, or null. */
export function findProgram(names: readonly string[], searchPath: string): string | null {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const places = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return places.find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // absent, or not for us: no program either way
  }
}
