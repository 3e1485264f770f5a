import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { promisify } from "node:util";
import { AirlockError } from "@airlock/core/fault";

const execute = promisify(execFile);

const IDENTITY = ["-c", "user.name=Airlock demo", "-c", "user.email=demo@airlock.invalid"];

/** Makes a git repository with one commit on `main` out of a template folder. */
export async function makeRepository(template: string, target: string, searchPath: string): Promise<void> {
  cpSync(template, target, { recursive: true });
  const git = gitIn(target, searchPath);
  await git(["init", "--quiet", "--initial-branch=main"]);
  await git(["add", "--all"]);
  await git([...IDENTITY, "commit", "--quiet", "--message=Print receipts"]);
}

/** What `git status` tells of a repository: empty where nobody touched it. */
export async function repositoryChanges(target: string, searchPath: string): Promise<string> {
  return gitIn(target, searchPath)(["status", "--porcelain"]);
}

/** Git without the user's own configuration, which may sign, hook or rename. */
function gitIn(folder: string, searchPath: string) {
  const env = { PATH: searchPath, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", HOME: folder };
  return async (args: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await execute("git", [...args], { cwd: folder, env });
      return stdout;
    } catch (cause) {
      const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (missing) throw new AirlockError("SYSTEM_PACKAGE_MISSING", "git is not installed", { cause });
      throw new AirlockError("WORKSPACE_UNAVAILABLE", `git ${args[0] ?? ""} failed in ${folder}`, { cause });
    }
  };
}
