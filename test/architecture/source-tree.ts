import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The packages whose sources the rules hold for, and how many files each has at least: a check that sees none fails. */
export const PACKAGES = {
  "packages/core": 150,
  "packages/replay": 20,
  "packages/operator": 10,
  "packages/client": 1,
  "packages/cli": 60,
  "services/console": 2,
  "services/streamer": 10,
  "services/validator": 25,
  "services/executor": 50,
} as const satisfies Record<string, number>;

export interface SourceFile {
  /** from the repository's root, with slashes */
  readonly path: string;
  readonly text: string;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function sourcesOf(folder: string): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => {
      const path = relative(ROOT, join(entry.parentPath, entry.name));
      return { path, text: readText(path) };
    });
}
