import { existsSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./root.ts";

/**
 * How the tests start a package's entry: from source, or as it was built where whoever runs them has built it just now
 * (`scripts/test.mjs`). What is built starts in half the time, and is what images run.
 */
export function program(folder: string): readonly string[] {
  if (process.env["AIRLOCK_TEST_BUILT"] === "1") return [path.join(ROOT, folder, "dist/main.js")];
  return ["--conditions=source", "--import", "tsx", path.join(ROOT, folder, "src/main.ts")];
}

/** Node's own folder, where the sandbox shows no other Node anyway. */
export function toolchains(): string {
  const shown = ["/usr/bin/node", "/usr/local/bin/node"].some((file) => existsSync(file));
  return shown ? "" : path.dirname(path.dirname(process.execPath));
}
