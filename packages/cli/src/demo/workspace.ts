import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Reads the files of a run's workspace where they lie, past all of Airlock's records. */
export function workspaceView(volume: string, run: string) {
  const tree = path.join(volume, run, "tree");
  const read = (name: string): string | null => readOrNull(path.join(tree, name));
  return {
    price: () => read("src/price.js"),
    exists: (name: string) => existsSync(path.join(tree, name)),
    /** true where a file of `test/` differs from the repository's */
    testsChanged: (repository: string) =>
      existsSync(tree) &&
      readdirSync(path.join(repository, "test")).some(
        (name) => read(`test/${name}`) !== readOrNull(path.join(repository, "test", name)),
      ),
  };
}

export function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null; // no workspace yet, or no such file in it: both mean that nothing is there
  }
}
