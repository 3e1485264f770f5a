import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./root.ts";

const run = promisify(execFile);

/** A disposable git repository made from the demo's template, with one commit on `main`. */
export async function makeRepository(
  prepare?: (directory: string) => Promise<void>,
): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), "airlock-repository-"));
  await cp(path.join(ROOT, "fixtures/demo/repository"), directory, { recursive: true });
  await prepare?.(directory);
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=demo", "-c", "user.email=demo@localhost", ...args], { cwd: directory });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Start");
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
