import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Outcome } from "./facts.ts";

const execute = promisify(execFile);

const NOBODY = 65_534;
const TIMEOUT_MS = 10_000;
const TINY_SANDBOX = [
  ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--disable-userns"],
  ["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
  ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
  ["--", "true"],
].flat();

/** Starts the smallest sandbox with the executor's own kinds of isolation, as the user that it would run as. */
export async function trySandbox(bwrap: string, root: boolean): Promise<Outcome> {
  const user = root ? { uid: NOBODY, gid: NOBODY } : {};
  try {
    await execute(bwrap, TINY_SANDBOX, {
      ...user,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeout: TIMEOUT_MS,
    });
    return { ok: true, detail: root ? `a program ran in one, as user ${NOBODY}` : "a program ran in one" };
  } catch (error) {
    return { ok: false, detail: reasonOf(error) };
  }
}

/** The first line that a program prints, or null where it can't be run. */
export async function firstLine(
  file: string,
  args: readonly string[],
  searchPath: string,
): Promise<string | null> {
  try {
    const { stdout } = await execute(file, [...args], { env: { PATH: searchPath }, timeout: TIMEOUT_MS });
    return stdout.split("\n")[0] ?? "";
  } catch {
    return null; // not there, or not able to tell: for us, both mean that it can't be used
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  return stderr === "" ? error.message : stderr;
}
