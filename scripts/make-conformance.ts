// Writes the conformance suite's streams and expectations to fixtures/conformance; with --check it writes nothing and
// fails if a file is not what it makes.
//   node --conditions=source --import tsx scripts/make-conformance.ts [--check]
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { conformanceFiles } from "./conformance/files.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/conformance/", import.meta.url));

/** The files that are missing, are others, or should not be there. */
export function staleConformanceFiles(): readonly string[] {
  const made = new Map(conformanceFiles().map(({ path, content }) => [path, content]));
  const present = presentFiles();
  const wrong = [...made].filter(([path, content]) => !present.has(path) || !isEqual(path, content));
  return [...wrong.map(([path]) => path), ...[...present].filter((path) => !made.has(path))].toSorted();
}

function presentFiles(): ReadonlySet<string> {
  const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((entry) => join(entry.parentPath, entry.name).slice(FOLDER.length)));
}

function isEqual(path: string, content: Uint8Array): boolean {
  return readFileSync(join(FOLDER, path)).equals(content);
}

function main(check: boolean): void {
  mkdirSync(FOLDER, { recursive: true });
  const stale = staleConformanceFiles();
  if (check && stale.length > 0) {
    process.stderr.write(`not what the script makes: ${stale.join(", ")}\n`);
    process.exitCode = 1;
  }
  if (check) return;
  const made = new Map(conformanceFiles().map(({ path, content }) => [path, content]));
  for (const path of stale) {
    const content = made.get(path);
    if (content === undefined) rmSync(join(FOLDER, path));
    else {
      mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
      writeFileSync(join(FOLDER, path), content);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
